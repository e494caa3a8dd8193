import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Priority, priorities, rankOf, rankOffsets, STARVATION_BOUND } from './priority.ts';

describe('priorities', () => {
  it('are four words, the most pressing first', () => {
    expect(priorities).toEqual(['urgent', 'high', 'normal', 'low']);
    expect(rankOffsets).toEqual({ urgent: 0, high: 30_000, normal: 120_000, low: 600_000 });
    expect(STARVATION_BOUND).toBe(600_000);
  });

  it.each(priorities)('%s adds its offset to the time of arrival', (priority) =>
    expect(rankOf(priority, 1_000)).toBe(1_000 + rankOffsets[priority]),
  );

  it('come in their order among tasks of the same moment', () => {
    const ranks = priorities.map((priority) => rankOf(priority, 5));
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    expect(new Set(ranks).size).toBe(4);
  });
});

type Waiting = {
  readonly rank: number;
  readonly order: number;
  readonly at: number;
  readonly priority: Priority;
};

/** One worker that takes the best-ranked task whenever it is free; the order in which it took them. */
function serve(arrivals: readonly { at: number; priority: Priority }[], service: number) {
  const coming = arrivals.map((task, order) => ({ ...task, order, rank: rankOf(task.priority, task.at) }));
  const queue: Waiting[] = [];
  const served: (Waiting & { taken: number })[] = [];
  for (let now = 0; served.length < arrivals.length; now += service) {
    while (coming[0] !== undefined && coming[0].at <= now) queue.push(...coming.splice(0, 1));
    queue.sort((a, b) => a.rank - b.rank || a.order - b.order);
    const next = queue.shift();
    if (next !== undefined) served.push({ ...next, taken: now });
  }
  return served;
}

const arrivals = fc
  .array(fc.record({ gap: fc.nat(20_000), priority: fc.constantFrom(...priorities) }), {
    minLength: 1,
    maxLength: 120,
  })
  .map((list) => {
    let at = 0;
    return list.map(({ gap, priority }) => {
      at += gap;
      return { at, priority };
    });
  });

describe('a queue in the order of ranks', () => {
  it('lets nothing be overtaken by what comes later than its own offset', () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1_000, max: 40_000 }), (list, service) => {
        const served = serve(list, service);
        for (const [index, task] of served.entries()) {
          const overtakers = served.slice(0, index).filter((other) => other.order > task.order);
          for (const other of overtakers) {
            expect(other.at).toBeLessThan(task.at + rankOffsets[task.priority] - rankOffsets[other.priority]);
            expect(other.at - task.at).toBeLessThan(STARVATION_BOUND);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('runs a low task among endless urgent ones once the bound has passed', () => {
    const service = 10_000;
    const urgent = Array.from({ length: 200 }, (_, index) => ({
      at: index * service,
      priority: 'urgent' as const,
    }));
    const low = { at: 0, priority: 'low' as const };
    const served = serve([low, ...urgent], service);
    const taken = served.find((task) => task.priority === 'low')?.taken;
    expect(taken).toBe(STARVATION_BOUND);
  });

  it('is first in, first out within a class', () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1_000, max: 40_000 }), (list, service) => {
        const served = serve(list, service);
        for (const priority of priorities) {
          const orders = served.filter((task) => task.priority === priority).map((task) => task.order);
          expect(orders).toEqual([...orders].sort((a, b) => a - b));
        }
      }),
      { numRuns: 60 },
    );
  });
});
