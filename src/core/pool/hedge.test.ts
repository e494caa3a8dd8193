import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { earned, fullBudget, hedgeDelay, LEAST_KNOWN, MOST, spent } from './hedge.ts';

describe('the budget of further calls', () => {
  it('allows a tenth of the calls and a few more, over any stretch of them', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 500 }), fc.nat(), fc.nat(), (wanted, from, length) => {
        let budget = fullBudget;
        const made = wanted.map((wants) => {
          budget = earned(budget);
          const left = wants ? spent(budget) : null;
          budget = left ?? budget;
          return left !== null;
        });
        const stretch = made.slice(from % (made.length + 1)).slice(0, length % 500);
        expect(stretch.filter(Boolean).length).toBeLessThanOrEqual(MOST + stretch.length / 10);
      }),
    );
  });

  it('gives every tenth call one when all of them want it', () => {
    let budget = 0;
    let made = 0;
    for (let call = 0; call < 1000; call++) {
      budget = earned(budget);
      const left = spent(budget);
      if (left === null) continue;
      budget = left;
      made++;
    }
    expect(made).toBe(100);
  });
});

describe('the time without an answer', () => {
  it.each([
    ['is the one that was given', 200, { calls: 0, p95_ms: null }, 200],
    ['is unknown before the first call', 'p95', { calls: 0, p95_ms: null }, null],
    ['is unknown after a few calls', 'p95', { calls: LEAST_KNOWN - 1, p95_ms: 5 }, null],
    ['is how long most calls take', 'p95', { calls: LEAST_KNOWN, p95_ms: 5 }, 5],
    ['is never nothing', 'p95', { calls: 100, p95_ms: 0.2 }, 1],
  ] as const)('%s', (_what, after, known, expected) => {
    expect(hedgeDelay({ after, max: 1 }, known)).toBe(expected);
  });
});
