import { describe, expect, it } from 'vitest';
import { answered, failed, poolOf, settingsOf, TestQueue } from './queue.suite.ts';

const rate = { per_ms: 0.01, burst: 10 };
const tasks = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `${name}${index}` }));
const others = (queue: TestQueue) => queue.calls.filter((call) => call.startsWith('new')).length;

/** More come all the time than the rate allows, while a long line waits. */
async function crowded(queue: TestQueue): Promise<void> {
  queue.submit(...tasks('old', 400));
  for (let second = 0; second < 10; second++) {
    await queue.time.advance(1000);
    queue.submit(...tasks(`new${second}-`, 15));
  }
}

describe('whoever comes while tokens gather for a long line', () => {
  it('stands behind those who wait for a provider', async () => {
    const queue = new TestQueue();
    queue.provider('p1', () => ({ ms: 1 }), { settings: { limits: { concurrency: null, rate } } });
    await crowded(queue);
    expect(queue.calls.length).toBeGreaterThan(95);
    expect(others(queue)).toBe(0);
  });

  it('stands behind those who wait for a protocol', async () => {
    const queue = new TestQueue();
    queue.provider('p1', () => ({ ms: 1 }));
    queue.pools.configure('a/v1', poolOf({ limits: { concurrency: null, rate } }));
    await crowded(queue);
    expect(queue.calls.length).toBeGreaterThan(95);
    expect(others(queue)).toBe(0);
  });

  it('stands behind those of its key, and not behind others', async () => {
    const queue = new TestQueue();
    queue.provider('p1', () => ({ ms: 1 }));
    queue.pools.configure('a/v1', poolOf({ per_key: { key: 'params.user', concurrency: null, rate } }));
    const of = (user: number, list: readonly { id: string }[]) =>
      list.map((task) => ({ ...task, params: { user } }));
    queue.submit(...of(1, tasks('old', 400)));
    await queue.time.advance(1500);
    queue.submit(...of(1, tasks('new', 15)), ...of(2, tasks('other', 5)));
    await queue.time.advance(1500);
    expect(others(queue)).toBe(0);
    expect(queue.calls.filter((call) => call.startsWith('other'))).toHaveLength(5);
  });
});

describe('whose turn it is', () => {
  it('begins anew with other weights, and nobody makes up for what he was owed by the earlier ones', async () => {
    const queue = new TestQueue();
    queue.pools.configure('a/v1', poolOf({ select: 'round_robin' }));
    queue.provider('often', () => ({ ms: 1 }), { settings: { weight: 1000 } });
    queue.provider('seldom', () => ({ ms: 1 }));
    queue.submit(...tasks('t', 500));
    await queue.time.advance(10);
    expect(queue.calls.every((call) => call.endsWith('often'))).toBe(true);
    queue.pools.adjust('often', settingsOf({ weight: 1 }));
    queue.calls.length = 0;
    queue.submit(...tasks('u', 10));
    expect(queue.calls.filter((call) => call.endsWith('often'))).toHaveLength(5);
  });
});

describe('those who wait behind a rate', () => {
  it('come when the next call is due, and not when one ends', async () => {
    const queue = new TestQueue();
    const limits = { concurrency: null, rate: { per_ms: 0.01, burst: 1 } };
    const seen = queue.provider('p1', () => ({ ms: 60_000 }), { settings: { limits } });
    queue.submit(...tasks('t', 20));
    await queue.time.advance(1010);
    expect(seen.times).toHaveLength(11);
  });

  it('come at once to a provider without one, as soon as it may be asked again', async () => {
    const queue = new TestQueue();
    queue.attempts = 2;
    let asked = 0;
    const seen = queue.provider('free', () => ({
      ms: 1,
      answer: asked++ === 0 ? failed('GLZ2004', 5200) : answered,
    }));
    queue.submit({ id: 'first' });
    await queue.time.advance(10);
    queue.provider('rated', () => ({ ms: 1 }), { settings: { limits: { concurrency: null, rate } } });
    queue.submit(...tasks('t', 1200));
    await queue.time.advance(5190);
    expect(seen.times).toHaveLength(1);
    await queue.time.advance(20);
    expect(seen.times.length).toBeGreaterThan(100);
  });
});

describe('keys that wait for the same', () => {
  const greedy = tasks('greedy', 900).map((task) => ({ ...task, params: { user: 'greedy' } }));
  const small = tasks('small', 10).map((task) => ({ ...task, params: { user: 'small' } }));
  const per_key = { key: 'params.user', concurrency: 1000, rate: null };
  const places = { concurrency: 10, rate: null };

  it.each([
    ['places of the protocol', poolOf({ per_key, limits: places }), {}],
    [
      'a rate of the protocol',
      poolOf({ per_key, limits: { concurrency: null, rate: { per_ms: 0.5, burst: 10 } } }),
      {},
    ],
    ['places of a provider', poolOf({ per_key }), { limits: places }],
    [
      'a rate of a provider',
      poolOf({ per_key }),
      { limits: { concurrency: null, rate: { per_ms: 0.5, burst: 10 } } },
    ],
  ])('get %s in turn, not in the order in which they came', async (_, pool, settings) => {
    const queue = new TestQueue();
    queue.provider('p1', () => ({ ms: 20 }), { settings });
    queue.pools.configure('a/v1', pool);
    queue.submit(...greedy);
    await queue.time.advance(100);
    const before = queue.calls.length;
    queue.submit(...small);
    await queue.time.advance(120);
    const after = queue.calls.slice(before);
    expect(after.filter((call) => call.startsWith('small'))).toHaveLength(10);
    expect(queue.waits).toBeLessThanOrEqual(910);
    await queue.time.advance(3000);
    expect(queue.results.size).toBe(910);
    await queue.time.advance(10_000);
    expect(queue.time.pending).toBe(0);
  });

  it('stand in the order of their lines within a key', async () => {
    const queue = new TestQueue();
    queue.provider('p1', () => ({ ms: 20 }));
    queue.pools.configure('a/v1', poolOf({ per_key, limits: { concurrency: 1, rate: null } }));
    queue.submit(...greedy.slice(0, 5), ...small.slice(0, 2));
    await queue.time.advance(500);
    expect(queue.calls.map((call) => call.replace(' p1', ''))).toEqual([
      ...['greedy0', 'greedy1', 'small0', 'greedy2', 'small1', 'greedy3', 'greedy4'],
    ]);
  });

  it('all come where keys are not told apart any more', async () => {
    const queue = new TestQueue();
    queue.provider('p1', () => ({ ms: 20 }));
    queue.pools.configure('a/v1', poolOf({ per_key, limits: places }));
    queue.submit(...greedy, ...small);
    queue.pools.configure('a/v1', poolOf({ limits: places }));
    await queue.time.advance(100);
    queue.pools.configure('a/v1', poolOf());
    await queue.time.advance(500);
    expect(queue.results.size).toBe(910);
  });
});
