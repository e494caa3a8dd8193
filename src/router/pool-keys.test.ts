import { describe, expect, it } from 'vitest';
import { nobodyCame } from '../core/ports/router.ts';
import { poolOf, TestQueue } from './queue.suite.ts';

const limits = (concurrency: number) => ({ concurrency, rate: null });

describe('keys', () => {
  it('have places of their own and their own line, which is fair', async () => {
    const queue = new TestQueue();
    queue.provider('one', () => ({ ms: 10 }));
    queue.pools.configure('a/v1', poolOf({ per_key: { key: 'params.user.id', ...limits(1) } }));
    const of = (id: string, user: number) => ({ id, params: { user: { id: user } } });
    queue.submit(of('a', 7), of('b', 7), of('c', 8), { id: 'd' }, { id: 'e', params: { user: 3 } });
    expect(queue.calls.map((call) => call[0])).toEqual(['a', 'c', 'd', 'e']);
    expect(queue.waiting()).toEqual(['b: line concurrency a/v1 user.id=7']);
    await queue.time.advance(20);
    expect(queue.results.size).toBe(5);
  });

  it.each([1, 3])(
    'that are found in their lines come by %i at a time, and nobody in vain',
    async (concurrency) => {
      const queue = new TestQueue();
      const seen = queue.provider('one', () => ({ ms: 10 }));
      queue.pools.configure('a/v1', poolOf({ per_key: { key: 'params.user', ...limits(concurrency) } }));
      const of = (user: number) =>
        Array.from({ length: 30 }, (_, index) => ({ id: `${user}.${index}`, params: { user } }));
      // The looks that a new provider is a reason for are over.
      await queue.time.settle();
      for (const user of [7, 8]) queue.parked.set(`line concurrency a/v1 user=${user}`, of(user));
      queue.callAll(1);
      await queue.time.advance(10 + 30 * 10);
      expect([queue.results.size, queue.waits]).toEqual([60, 0]);
      expect(seen.most).toBe(2 * concurrency);
    },
  );

  it('that are found are looked for where they were found, and nowhere else', async () => {
    const queue = new TestQueue();
    queue.provider('one', () => ({ ms: 10 }));
    queue.pools.configure(
      'a/v1',
      poolOf({ limits: limits(9), per_key: { key: 'params.user', ...limits(1) } }),
    );
    await queue.time.settle();
    const rang = new Set<string>();
    queue.pools.onRoom(async ({ kind, key }) => {
      rang.add(`line ${kind} ${key}`);
      return nobodyCame;
    });
    const name = 'line concurrency a/v1 user=7';
    queue.parked.set(
      name,
      [1, 2, 3].map((id) => ({ id: String(id), params: { user: 7 } })),
    );
    queue.callAll(1);
    await queue.time.advance(40);
    expect([queue.results.size, [...rang]]).toEqual([3, [name]]);
  });

  it('that are found behind their limit leave nobody where they were found', async () => {
    const queue = new TestQueue();
    queue.provider('one', () => ({ ms: 10 }));
    queue.pools.configure(
      'a/v1',
      poolOf({ limits: limits(1), per_key: { key: 'params.user', ...limits(1) } }),
    );
    queue.submit({ id: 'busy' });
    const of = (user: number) =>
      Array.from({ length: 4 }, (_, at) => ({ id: `${user}.${at}`, params: { user } }));
    for (const user of [1, 2]) queue.parked.set(`line concurrency a/v1 user=${user}`, of(user));
    queue.callAll(1);
    await queue.time.advance(10 * 9 + 20);
    expect([queue.results.size, queue.waiting()]).toEqual([9, []]);
  });

  it('may be runs, and long ones are told apart', () => {
    const queue = new TestQueue();
    queue.provider('one', () => ({ ms: 10 }));
    queue.pools.configure('a/v1', poolOf({ per_key: { key: 'workflow_id', ...limits(1) } }));
    const long = 'x'.repeat(200);
    const of = (id: string, workflow_id: string) => ({ id, workflow_id });
    queue.submit(of('a', `${long}1`), of('b', `${long}2`), of('c', `${long}1`));
    expect(queue.calls).toHaveLength(2);
    expect(queue.waiting()[0]?.length).toBeLessThan(150);
  });
});
