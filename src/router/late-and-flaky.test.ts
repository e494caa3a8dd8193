import { describe, expect, it } from 'vitest';
import type { Answer } from '../core/answer.ts';
import { errorRecord } from '../core/errors.ts';
import { answered, callsOf, failed, poolOf, TestQueue, wellDone, work } from './queue.suite.ts';

describe('a provider that fails quickly now and then, too seldom to be left in peace', () => {
  /** Each call of two in five fails. */
  const setUp = () => {
    const queue = new TestQueue();
    const seen = { calls: 0, failing: true };
    queue.provider('flaky', () => ({
      ms: 2,
      answer: seen.failing && seen.calls++ % 5 < 2 ? failed('GLZ2001') : answered,
    }));
    queue.provider('well', () => ({ ms: 30 }));
    return { queue, seen };
  };

  it('gets few calls although it is the quickest', async () => {
    const { queue } = setUp();
    const ids = await work(queue, 600);
    expect(callsOf(queue, 'flaky')).toBeLessThan(60);
    expect(wellDone(queue, ids)).toBeGreaterThan(575);
  });

  it('is found again once it is well', async () => {
    const { queue, seen } = setUp();
    await work(queue, 100);
    seen.failing = false;
    await queue.time.advance(60_000);
    await work(queue, 100);
    const before = callsOf(queue, 'flaky');
    await work(queue, 100);
    expect(callsOf(queue, 'flaky') - before).toBeGreaterThan(50);
  });
});

describe('a provider whose tasks give it less time than it takes', () => {
  const late: Answer = { word: 'failed', error: errorRecord('GLZ2003', 'late', { field: 'timeout' }) };
  const one = (queue: TestQueue) =>
    queue.provider('one', ({ params }) => ('short' in params ? { ms: 50, answer: late } : { ms: 300 }));
  const short = (queue: TestQueue, name: string) =>
    queue.submit(...Array.from({ length: 10 }, (_, n) => ({ id: `${name}${n}`, params: { short: true } })));

  it('is there for everybody else, also where they were the first to come', async () => {
    const queue = new TestQueue();
    one(queue);
    for (let turn = 0; turn < 5; turn++) {
      short(queue, `s${turn}`);
      await queue.time.advance(60);
      queue.submit({ id: `t${turn}` });
      await queue.time.advance(310);
      expect(queue.results.get(`t${turn}`)).toEqual(answered);
    }
    expect(queue.pools.status('one')?.breakers).toEqual([]);
  });
});

describe('a provider that hangs until the time of its tasks is up', () => {
  it.each(['timeout', 'total_timeout'])(
    'is left in peace where that was a fair %s, and it is alone',
    async (field) => {
      const queue = new TestQueue();
      const late = errorRecord('GLZ2003', 'late', { field });
      queue.provider('hung', () => ({ ms: 1000, answer: { word: 'failed', error: late } }));
      await work(queue, 5);
      await queue.time.advance(1000);
      expect(queue.pools.status('hung')?.breakers).toMatchObject([{ state: 'open' }]);
    },
  );

  it.each(['timeout', 'total_timeout'])(
    'is known to be slow, and then to fail, by what the others take (%s)',
    async (field) => {
      const queue = new TestQueue();
      const late = errorRecord('GLZ2003', 'late', { field });
      queue.pools.configure('a/v1', poolOf({ select: 'round_robin' }));
      queue.provider('good', () => ({ ms: 40 }));
      queue.provider('hung', () => ({ ms: 400, answer: { word: 'failed', error: late } }));
      for (let turn = 0; turn < 12; turn++) {
        await work(queue, 5);
        await queue.time.advance(400);
      }
      expect(queue.pools.status('hung')?.breakers).toMatchObject([{ state: 'open' }]);
      expect(callsOf(queue, 'hung')).toBeLessThan(15);
    },
  );
});
