import { Type } from '../../type.ts';
import { method } from '../method.ts';
import { name, noParams, page, params } from '../shapes/basic.ts';
import { protocol, protocolInput, protocolItem } from '../shapes/protocol.ts';
import * as sample from './samples.ts';

export const protocolMethods = {
  'protocol.register': method({
    summary: 'Adds a protocol',
    description:
      'It is kept, and every engine on the same store takes it up. The same again is no error. Another one of the same ' +
      'name is refused unless it is to replace the first; what the configuration defines is changed there.',
    role: 'admin',
    params: params({
      protocol: protocolInput,
      replace: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'tasks that were accepted under the first go on under the new one, which may refuse them',
        }),
      ),
    }),
    engine_judges: ['protocol'],
    result: Type.Object({ name: Type.String(), version: Type.String(), methods: Type.Array(Type.String()) }),
    errors: ['GLZ1008', 'GLZ1011', 'GLZ1013'],
    examples: [
      {
        name: 'with one method',
        params: { protocol: sample.protocol },
        result: { name: 'web-search/v1', version: 'v1', methods: ['search'] },
      },
    ],
  }),

  'protocol.list': method({
    summary: 'Lists the protocols that are known',
    role: 'viewer',
    params: noParams,
    result: page(protocolItem),
    errors: [],
    examples: [
      {
        name: 'one',
        params: {},
        result: {
          items: [
            {
              name: 'web-search/v1',
              title: null,
              version: 'v1',
              description: 'Searching the web',
              extends: null,
              methods: ['search'],
              providers: ['search-1'],
            },
          ],
          next_cursor: null,
        },
      },
    ],
  }),

  'protocol.get': method({
    summary: 'Gives the whole of a protocol, with its schemas',
    role: 'viewer',
    params: params({ name: name('such as `web-search/v1`') }),
    result: protocol,
    errors: ['GLZ1003'],
    examples: [
      {
        name: 'with its shorthand written out',
        params: { name: 'web-search/v1' },
        result: {
          name: 'web-search/v1',
          title: null,
          version: 'v1',
          description: 'Searching the web',
          extends: null,
          methods: {
            search: {
              description: null,
              params: {
                type: 'object',
                properties: { query: { type: 'string' }, max_results: { type: 'integer', default: 10 } },
                additionalProperties: false,
                required: ['query'],
              },
              returns: true,
              examples: [],
              deprecated: false,
            },
          },
        },
      },
    ],
  }),
};
