import { protocol } from '../typed.ts';

export const search = protocol({
  name: 'search/v1',
  title: 'Search',
  description: 'Searching whatever the provider has: documents, vectors, the web.',
  methods: {
    search: {
      description: 'Find what fits best, the best first.',
      idempotent: true,
      params: {
        query: { type: 'string', description: 'what to search for, in words' },
        vector: {
          type: 'array',
          items: { type: 'number' },
          minItems: 1,
          description: 'what to search for, where the provider compares vectors',
        },
        max_results: { type: 'integer', default: 10, minimum: 1, maximum: 1000 },
        index: {
          type: 'string',
          description: 'the index or collection to search, instead of the configured one',
        },
        filter: { type: 'object', description: 'which documents count, in the words of the provider' },
      },
      returns: {
        type: 'object',
        required: ['results'],
        properties: {
          results: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                id: { type: ['string', 'integer'] },
                score: { type: ['number', 'null'] },
                title: { type: ['string', 'null'] },
                url: { type: ['string', 'null'] },
                snippet: { type: ['string', 'null'] },
                document: { type: ['object', 'null'] },
              },
            },
          },
        },
      },
      examples: [{ params: { query: 'holiday rules', max_results: 3 } }],
    },
  },
});
