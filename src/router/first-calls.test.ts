import { describe, expect, it } from 'vitest';
import { errorRecord } from '../core/errors.ts';
import { callsOf, TestQueue } from './queue.suite.ts';

/** One call after another; to whom they went. */
async function oneByOne(queue: TestQueue, count: number, pause_ms = 0) {
  for (let call = 0; call < count; call++) {
    queue.submit({ id: `${call}` });
    await queue.time.advance(400 + pause_ms);
  }
}

describe('a provider of whom nothing is known', () => {
  it('is found to be the quicker one, wherever it stands in the configuration', async () => {
    for (const order of [
      [300, 5, 5],
      [5, 5, 300],
    ]) {
      const queue = new TestQueue();
      for (const [index, ms] of order.entries()) queue.provider(`p${index}`, () => ({ ms }));
      await oneByOne(queue, 60);
      const calls = order.map((ms, index) => ({ ms, count: callsOf(queue, `p${index}`) }));
      for (const { ms, count } of calls)
        if (ms === 5) expect(count).toBeGreaterThan(15);
        else expect([1, 2, 3, 4]).toContain(count);
    }
  });

  it('is not new for ever where it refuses every call', async () => {
    const queue = new TestQueue();
    queue.provider('well', () => ({ ms: 5 }));
    const refusal = { word: 'failed', error: errorRecord('GLZ2010', 'no') } as const;
    queue.provider('refuses', () => ({ ms: 1, answer: refusal }));
    await oneByOne(queue, 60);
    expect(callsOf(queue, 'well')).toBeGreaterThan(15);
  });

  it('is found by the method that is called, however many calls of another it has', async () => {
    const queue = new TestQueue();
    for (const id of ['old', 'new']) queue.provider(id, () => ({ ms: 5 }));
    for (const id of ['known', 'better']) {
      queue.submit({ id, only: 'old' });
      await queue.time.advance(10);
    }
    queue.submit(
      ...Array.from({ length: 20 }, (_, at) => ({ id: `sung${at}`, method: 'sing', only: 'new' })),
    );
    queue.submit({ id: 'asked' });
    expect(queue.calls.at(-1)).toBe('asked new');
  });
});
