import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

const backoff = { first_ms: 100, longest_ms: 10_000 };

describe('waiting before the next attempt', () => {
  it('doubles, and stops doubling', () => {
    const waits = [0, 1, 2, 3, 6, 7, 50].map((failures) => backoffMs(backoff, failures, 1));
    expect(waits).toEqual([100, 200, 400, 800, 6400, 10_000, 10_000]);
  });

  it('is never less than half of it and never more', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.double({ min: 0, max: 1, noNaN: true }), (failures, chance) => {
        const full = backoffMs(backoff, failures, 1);
        const wait = backoffMs(backoff, failures, chance);
        expect(wait).toBeGreaterThanOrEqual(full / 2);
        expect(wait).toBeLessThanOrEqual(full);
      }),
    );
  });
});
