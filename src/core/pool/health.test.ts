import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstQuestion, isHungAgain, nextQuestion } from './health.ts';

const every = fc.integer({ min: 100, max: 86_400_000 });
const lot = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('when a provider is asked how it is', () => {
  it('is every so often, and sooner after a miss, less and less so', () => {
    const times = (every_ms: number) =>
      [0, 1, 2, 3, 4, 5, 6].map((misses) => nextQuestion({ every_ms, misses, draw: 0 }));
    expect(times(10_000)).toEqual([10_000, 1000, 2000, 4000, 8000, 10_000, 10_000]);
    expect(times(1000)).toEqual([1000, 250, 500, 1000, 1000, 1000, 1000]);
  });

  it('is never later than usual, never at once, and up to a tenth sooner by lot', () => {
    fc.assert(
      fc.property(every, fc.nat(2000), lot, (every_ms, misses, draw) => {
        const most = nextQuestion({ every_ms, misses, draw: 0 });
        const ms = nextQuestion({ every_ms, misses, draw });
        expect(ms).toBeGreaterThanOrEqual(most * 0.9);
        expect(ms).toBeLessThanOrEqual(most);
        expect(most).toBeLessThanOrEqual(every_ms);
        expect(most).toBeGreaterThanOrEqual(Math.min(every_ms / 4, 1000));
      }),
    );
  });

  it('is taken for hung after each so many misses', () => {
    const hung = (failures: number) =>
      [0, 1, 2, 3, 4, 5, 6].filter((misses) => isHungAgain({ misses, failures }));
    expect([1, 2, 3].map(hung)).toEqual([
      [1, 2, 3, 4, 5, 6],
      [2, 4, 6],
      [3, 6],
    ]);
  });

  it('is at the beginning by lot, within a tenth of the time and a second', () => {
    expect(firstQuestion({ every_ms: 5000, draw: 0.5 })).toBe(250);
    expect(firstQuestion({ every_ms: 3_600_000, draw: 0.5 })).toBe(500);
    expect(firstQuestion({ every_ms: 5000, draw: 0 })).toBe(0);
  });
});
