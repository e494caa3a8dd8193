import { describe, expect, it } from 'vitest';
import { poolOf, TestQueue } from './queue.suite.ts';

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
