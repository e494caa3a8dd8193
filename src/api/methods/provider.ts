import { Type } from '../../type.ts';
import { method, type Shape } from '../method.ts';
import { anyObject, name, page, params } from '../shapes/basic.ts';
import { provider, providerState, providerTest } from '../shapes/provider.ts';
import * as sample from './samples.ts';

const providerSample = {
  id: 'search-1',
  protocol: 'web-search/v1',
  state: 'connected',
  since: sample.at,
  in_flight: 0,
  calls: 41,
  errors: 1,
  hedges: 0,
  last_error: {
    at: sample.later,
    error_code: 'GLZ2003',
    message: 'no answer within 30 s',
    remote_code: null,
  },
  latency: { p50_ms: 12.5, p95_ms: 80 },
  weight: 1,
  tier: 0,
  zone: null,
  models: null,
  breakers: [{ method: 'search', state: 'closed', next_probe: null }],
  health: { misses: 0, last_error: null, next_probe: '2026-07-01T12:00:10.000Z' },
  next_probe: null,
  lacks: [],
  paused_until: null,
  concurrency: { most: 128, left: 128 },
  rate: { per_second: 10, burst: 10, left: 7 },
} satisfies Shape<typeof provider>;

export const providerMethods = {
  'provider.list': method({
    summary: 'Lists the providers that are connected here, and how they do',
    role: 'viewer',
    params: params({ protocol: Type.Optional(name('only providers of this one')) }),
    result: page(provider),
    errors: [],
    examples: [{ name: 'all', params: {}, result: { items: [providerSample], next_cursor: null } }],
  }),

  'provider.status': method({
    summary: 'Tells how a provider does',
    role: 'viewer',
    params: params({ id: name('of the provider') }),
    result: provider,
    errors: ['GLZ1010'],
    examples: [{ name: 'one', params: { id: 'search-1' }, result: providerSample }],
  }),

  'provider.drain': method({
    summary: 'Gives a provider no more calls until it is resumed',
    description:
      'On every engine of the store, over restarts, until it is resumed or leaves the configuration. Calls that run go on; ' +
      'tasks that only it could serve wait.',
    role: 'operator',
    params: params({ id: name('of the provider') }),
    result: providerState,
    errors: ['GLZ1010'],
    examples: [
      { name: 'one', params: { id: 'search-1' }, result: { id: 'search-1', state: 'drained', in_flight: 2 } },
    ],
  }),

  'provider.resume': method({
    summary: 'Lets a provider that was drained get calls again',
    description:
      'On every engine of the store. It also ends the time for which the service asked to be left alone (`paused_until`), after which one call tries first, and lets ' +
      'methods whose breaker is open be tried now (`next_probe`); one that is `unhealthy` stays so until it answers.',
    role: 'operator',
    params: params({ id: name('of the provider') }),
    result: providerState,
    errors: ['GLZ1010'],
    examples: [
      {
        name: 'one',
        params: { id: 'search-1' },
        result: { id: 'search-1', state: 'connected', in_flight: 0 },
      },
    ],
  }),

  'provider.test': method({
    summary: 'Asks a provider something now and tells how it went',
    description:
      'Without a method, what its health check asks, or else what its dialect asks, which gives the service no work. With a method, ' +
      'that is called like any other: a service that does what it is told does it now, too. It is asked whatever its state and limits ' +
      'are, and the question counts for none of them.',
    role: 'operator',
    params: params({
      id: name('of the provider'),
      method: Type.Optional(name('to call, as the protocol names it')),
      params: Type.Optional(anyObject),
      timeout_ms: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 60_000,
          description:
            'how long an answer may take; unless given as long as its health check waits, a minute at most, and without one 5000',
        }),
      ),
    }),
    result: providerTest,
    errors: ['GLZ1010'],
    examples: [
      {
        name: 'one that is well',
        params: { id: 'search-1' },
        result: {
          ...{ id: 'search-1', well: true, asked: 'rpc.discover', method: 'rpc.discover' },
          ...{ ms: 3.2, error: null },
        },
      },
    ],
  }),
};
