import { expect, it } from 'vitest';
import type { Line } from '../core/ports/router.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { heldProvider } from './pools.suite.ts';
import { Pools } from './pools.ts';
import { defaultProvider } from './settings.ts';
import { OwnTokens } from './tokens.ts';

/** A provider whose tokens are only to be fetched, as the test says, and another that comes after it. */
function setUp(there: number) {
  const time = new VirtualTime();
  const rate = { per_ms: 1 / 3_600_000, burst: 10 };
  const state = { here: 0, there, wanted: 0 };
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const tokens = Object.assign(new OwnTokens(rate, 0), {
    free: () => state.here,
    left: () => state.here + state.there,
    want: () => void state.wanted++,
    take: () => void state.here--,
    nextAt: () => null,
  });
  const { promise: changed, resolve } = Promise.withResolvers<() => void>();
  const pools = new Pools({
    ...{ clock: time, timers: time, logger, draw: () => 0.5 },
    tokens: (_name, _limit, more) => {
      resolve(more);
      return tokens;
    },
  });
  const called: [Line, number][] = [];
  pools.onRoom(async (line, places) => {
    called.push([line, places]);
    return { count: places, more: 0 };
  });
  const limited = { ...defaultProvider, limits: { concurrency: null, rate } };
  pools.connect(heldProvider('main').provider, { settings: limited });
  pools.connect(heldProvider('reserve').provider, { settings: { ...defaultProvider, tier: 1 } });
  const route = (isCalled = false) => {
    const request = { protocol: 'a/v1', method: 'm', params: {}, task_id: 't', workflow_id: null, avoid: [] };
    const routed = pools.route({ ...request, called: isCalled });
    return routed.word === 'go' ? routed.passage.provider.id : routed.line.key;
  };
  const fetched = async (here: number) => {
    Object.assign(state, { here, there: 0 });
    (await changed)();
    await time.settle();
  };
  return { time, pools, state, called, route, fetched };
}

it('as many calls wait for what is fetched as it may be enough for; the others go on at once', () => {
  const { route, state } = setUp(3);
  const went = Array.from({ length: 6 }, () => route());
  const [waits, goes] = ['provider main', 'reserve'];
  expect(went).toEqual([waits, waits, waits, goes, goes, goes]);
  expect(state.wanted).toBeGreaterThan(0);
});

it('who waited for what is fetched gets it', async () => {
  const { route, called, fetched } = setUp(2);
  expect([route(), route()]).toEqual(['provider main', 'provider main']);
  await fetched(2);
  expect(called).toEqual([[expect.objectContaining({ key: 'provider main' }), 2]]);
  // It is kept for those who were called.
  expect([route(), route(true), route(true), route(true)]).toEqual(['reserve', 'main', 'main', 'reserve']);
});

it('who waited for what is not there after all is sent to whoever comes next', async () => {
  const { route, called, fetched } = setUp(3);
  expect([route(), route(), route()]).toEqual(['provider main', 'provider main', 'provider main']);
  await fetched(1);
  expect(called.map(([, places]) => places).reduce((sum, places) => sum + places, 0)).toBe(1);
  expect(route(true)).toBe('main');
  await fetched(0);
  expect(called.map(([, places]) => places).reduce((sum, places) => sum + places, 0)).toBe(3);
  expect([route(true), route(true)]).toEqual(['reserve', 'reserve']);
});

it('who was called does not wait again while somebody has room', async () => {
  const { route } = setUp(3);
  expect([route(), route(true)]).toEqual(['provider main', 'reserve']);
});
