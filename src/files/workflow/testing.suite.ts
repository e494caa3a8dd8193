import { parseProtocol } from '../../core/protocol.ts';
import { protocolsOf } from './known.ts';

/** What the files of the tests call. */
export const definitions = [
  parseProtocol({
    name: 'web-search/v1',
    methods: {
      search: {
        params: { query: { type: 'string', required: true }, limit: { type: 'integer', default: 10 } },
        returns: {
          type: 'object',
          properties: {
            results: {
              type: 'array',
              items: { type: 'object', properties: { title: { type: 'string' }, rank: { type: 'integer' } } },
            },
            total: { type: 'integer' },
          },
        },
      },
    },
  }),
  parseProtocol({
    name: 'llm/v1',
    methods: {
      generate: {
        params: {
          prompt: { type: 'string', required: true },
          max_tokens: { type: 'integer', minimum: 1, maximum: 4096 },
          style: { enum: ['plain', 'fancy'] },
          key: { type: 'string', 'x-secret': true },
        },
        returns: { text: { type: 'string' } },
      },
      chat: { params: { '*': true, messages: { type: 'array' } } },
    },
  }),
];

export const protocols = protocolsOf(definitions);
