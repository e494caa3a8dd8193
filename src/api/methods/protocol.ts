import { Type } from '../../type.ts';
import { method } from '../method.ts';
import { name, noParams, page, params, time, words } from '../shapes/basic.ts';
import { protocol, protocolInput, protocolItem } from '../shapes/protocol.ts';
import { protocolStats } from '../shapes/stats.ts';
import * as sample from './samples.ts';

const figures = {
  calls: 41,
  errors: 1,
  errors_by_class: { timeout: 1 },
  retries: 1,
  hedges: 0,
  latency: { p50_ms: 12.5, p95_ms: 80, p99_ms: 120 },
  input_tokens: 5000,
  output_tokens: 1200,
  cost: { USD: 0.41 },
};

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
              idempotent: false,
            },
          },
        },
      },
    ],
  }),

  'protocol.stats': method({
    summary: 'Tells what calls to providers came to: how many, errors, latencies, tokens and cost over time',
    description:
      'Of all engines on the store together. What others counted in the last minute may be missing. At most 200 ' +
      'providers and methods are told apart in each; what is beyond goes as `other`.',
    role: 'viewer',
    params: params({
      name: Type.Optional(name('only this protocol')),
      window: Type.Optional(
        words(['hour', 'day'], {
          default: 'hour',
          description: 'the last hour by the minute, or the last day by the hour',
        }),
      ),
    }),
    result: Type.Object({
      window: words(['hour', 'day']),
      from: time,
      to: Type.String({ format: 'date-time', description: 'the end of the minute or hour that runs' }),
      step_seconds: Type.Integer({ minimum: 1 }),
      items: Type.Array(protocolStats, { description: 'protocols that were called, by name' }),
    }),
    errors: ['GLZ1003'],
    examples: [
      {
        name: 'one protocol',
        params: { name: 'web-search/v1' },
        result: {
          window: 'hour',
          from: '2026-01-05T08:31:00.000Z',
          to: '2026-01-05T09:31:00.000Z',
          step_seconds: 60,
          items: [
            {
              protocol: 'web-search/v1',
              total: figures,
              steps: [{ at: sample.at, ...figures }],
              providers: [{ provider: 'search-1', total: figures, steps: [{ at: sample.at, ...figures }] }],
              methods: [{ method: 'search', total: figures, steps: [{ at: sample.at, ...figures }] }],
            },
          ],
        },
      },
    ],
  }),
};
