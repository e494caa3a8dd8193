import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expected, type Latency, observed } from './latency.ts';

describe('how long a provider takes', () => {
  it('is unknown before the first answer, and then what it was', () => {
    expect(expected(null, 5)).toBeNull();
    expect(expected(observed(null, 20, 5), 5)).toBe(20);
  });

  it('rises at once and falls by and by', () => {
    const slow = observed(observed(null, 10, 0), 500, 1);
    expect(slow.ms).toBe(500);
    const better = observed(slow, 10, 2);
    expect(better.ms).toBeGreaterThan(400);
    expect(better.ms).toBeLessThan(500);
  });

  it('fades while nothing is heard, whatever the clock does', () => {
    const slow = observed(null, 500, 0);
    expect(expected(slow, 10_000)).toBeCloseTo(500 / Math.E);
    expect(expected(slow, -10)).toBe(500);
  });

  it('stays between the least and the most that was seen', () => {
    const seen = fc.array(fc.tuple(fc.double({ min: 0, max: 1e5, noNaN: true }), fc.nat(1000)), {
      minLength: 1,
    });
    fc.assert(
      fc.property(seen, (calls) => {
        let latency: Latency | null = null;
        let now = 0;
        for (const [ms, later] of calls) {
          now += later;
          latency = observed(latency, ms, now);
        }
        const all = calls.map(([ms]) => ms);
        expect(latency?.ms).toBeLessThanOrEqual(Math.max(...all) + 1e-9);
        expect(latency?.ms).toBeGreaterThanOrEqual(Math.min(...all) - 1e-9);
      }),
    );
  });
});

describe('what was seen before', () => {
  it('fades by the time since, whatever the time of day', () => {
    const before = { ms: 100, at: 1_000_000 };
    expect(observed(before, 10, before.at).ms).toBeCloseTo(91);
    expect(observed(before, 10, before.at + 3_600_000).ms).toBeCloseTo(10);
  });
});
