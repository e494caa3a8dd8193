import { protocol } from '../typed.ts';

export const webSearch = protocol({
  name: 'web-search/v1',
  title: 'Web search',
  description: 'Searching the web, and reading a page of it.',
  methods: {
    search: {
      description: 'Search the web.',
      idempotent: true,
      params: {
        query: { type: 'string', required: true, minLength: 1, description: 'what to search for' },
        max_results: { type: 'integer', default: 10, minimum: 1, maximum: 100 },
        language: { type: 'string', description: 'of the pages to be found, such as `en`' },
      },
      returns: {
        type: 'object',
        required: ['results'],
        properties: {
          results: {
            type: 'array',
            items: {
              type: 'object',
              required: ['title', 'url'],
              properties: {
                title: { type: 'string' },
                url: { type: 'string' },
                snippet: { type: ['string', 'null'] },
              },
            },
          },
        },
      },
      examples: [
        {
          params: { query: 'durable workflows', max_results: 1 },
          result: {
            results: [{ title: 'Durable workflows', url: 'https://example.org/', snippet: 'What …' }],
          },
        },
      ],
    },
    fetch_url: {
      description: 'Read one page.',
      idempotent: true,
      params: { url: { type: 'string', required: true, pattern: '^https?://' } },
      returns: {
        type: 'object',
        required: ['text'],
        properties: {
          url: { type: 'string' },
          status: { type: 'integer' },
          content_type: { type: ['string', 'null'] },
          text: { type: 'string' },
        },
      },
      examples: [{ params: { url: 'https://example.org/' } }],
    },
  },
});
