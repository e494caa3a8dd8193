import { describe, expect, it } from 'vitest';
import type { Provider } from '../core/ports/provider.ts';
import type { Routed, RouteRequest } from '../core/ports/router.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { Pools } from './pools.ts';
import { answered, failed, settingsOf, TestQueue } from './queue.suite.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

describe('the line of calls that no provider can take', () => {
  it('has every place back whose caller went elsewhere, at whichever provider and one after the other', async () => {
    const time = new VirtualTime();
    const pools = new Pools({ clock: time, timers: time, logger, draw: () => 0 });
    const rang: number[] = [];
    const astray: ((count: number) => void)[] = [];
    pools.onRoom(async (_line, places, gone) => {
      rang.push(places);
      if (gone !== undefined) astray.push(gone);
      return { count: places, more: 0 };
    });
    for (const id of ['one', 'two']) {
      const provider: Provider = { id, protocol: 'a/v1', hasMethod: () => true, call: async () => answered };
      pools.connect(provider, { settings: settingsOf({ limits: { concurrency: 1, rate: null } }) });
    }
    const ask = (task_id: string): Routed => {
      const asked: RouteRequest = {
        ...{ protocol: 'a/v1', method: 'echo', params: {}, workflow_id: null },
        ...{ task_id, avoid: [], called: false },
      };
      return pools.route(asked);
    };
    pools.setDrained(new Set(['one', 'two']));
    for (const id of ['a', 'b']) expect(ask(id).word).toBe('wait');
    pools.setDrained(new Set());
    await time.settle();
    expect(rang).toEqual([2]);
    astray[0]?.(1);
    astray[0]?.(1);
    expect(['c', 'd', 'e'].map((id) => ask(id).word)).toEqual(['go', 'go', 'wait']);
    await time.until(pools.stop());
  });
});

describe('calls that waited until something was fetched for one of several providers', () => {
  it('are looked for where one of them comes in another life', async () => {
    const queue = new TestQueue();
    const limits = { concurrency: null, rate: { per_ms: 1, burst: 100 } };
    for (const id of ['one', 'two']) queue.provider(id, () => ({ ms: 1 }), { settings: { limits } });
    const earlier = Array.from({ length: 30 }, (_, index) => ({ id: `t${index}` }));
    queue.parked.set('line rate provider one', earlier);
    queue.callAll(1);
    await queue.time.advance(5000);
    expect(queue.results.size).toBe(30);
  });
});

describe('what calls are said to wait for', () => {
  const health = { every_ms: 1000, timeout_ms: 300, failures: 1, method: 'ping' };
  const full = { limits: { concurrency: 1, rate: null } };
  const states = {
    breaker: { ends: 'fails' },
    unhealthy: { settings: { health }, ends: 'fails at once' },
    drained: { drained: true },
    'drained unhealthy': { settings: { health }, drained: true },
    'drained breaker': { ends: 'fails', drained: true },
    concurrency: { settings: full },
  } as const;

  /** Each provider comes into its state by itself before the call is made that has to wait. */
  async function kindOf(names: readonly (keyof typeof states)[]): Promise<string> {
    const queue = new TestQueue();
    for (const [index, name] of names.entries()) {
      const { settings = {}, ...state } = { ...states[name] } as {
        settings?: object;
        ends?: string;
        drained?: boolean;
      };
      const id = `p${index}`;
      const answer = (method: string) =>
        method === 'ping' || state.ends === 'fails' ? failed('GLZ2001') : answered;
      queue.provider(id, ({ method }) => ({ ms: method === 'ping' ? 0 : 10, answer: answer(method) }), {
        settings,
      });
      if (state.ends === 'fails')
        queue.submit(...Array.from({ length: 5 }, (_, turn) => ({ id: `${id} ${turn}`, only: id })));
      await queue.time.advance(120);
      if (name === 'concurrency') {
        queue.provider(id, () => ({ ms: 100_000 }), { settings });
        queue.submit({ id: `${id} busy`, only: id });
      }
      if (state.drained) queue.pools.drain(id);
    }
    queue.submit({ id: 'last' });
    return queue.waiting().join().split(' ')[2] ?? 'nothing';
  }

  it.each([
    [['breaker'], 'breaker'],
    [['unhealthy'], 'unhealthy'],
    [['drained'], 'drained'],
    [['drained unhealthy'], 'drained'],
    [['drained breaker'], 'drained'],
    [['drained', 'unhealthy'], 'unhealthy'],
    [['drained', 'breaker'], 'breaker'],
    [['unhealthy', 'concurrency', 'drained'], 'concurrency'],
  ] as const)('of providers that are %j: %s', async (names, kind) => {
    expect(await kindOf(names)).toBe(kind);
  });

  it('is found again where it went by another name when they came to wait', async () => {
    const queue = new TestQueue();
    queue.provider('p', () => ({ ms: 1 }));
    queue.pools.drain('p');
    await queue.time.settle();
    // So an earlier version called it.
    const earlier = Array.from({ length: 30 }, (_, index) => ({ id: `t${index}` }));
    queue.parked.set('line breaker provider p for echo', earlier);
    queue.callAll(1);
    expect(queue.waiting().slice(-1)).toEqual(['t0: line drained provider p for echo']);
    queue.pools.resume('p');
    await queue.time.advance(30_000);
    expect(queue.results.size).toBe(30);
  });
});
