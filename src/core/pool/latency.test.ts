import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  atLeast,
  ended,
  expected,
  type Failing,
  failingShare,
  type Latency,
  observed,
  usually,
} from './latency.ts';

describe('how long a provider takes', () => {
  it('is what the first answer took', () => {
    expect(expected(observed(null, 20, 5), 5)).toEqual({ ms: 20, mean_ms: 20 });
  });

  it('is not what the first answer alone took, once there is another', () => {
    expect(observed(observed(null, 300, 5), 20, 6)).toEqual({ ms: 20, mean_ms: 20, at: 6 });
    expect(observed(observed(null, 20, 5), 300, 6)).toEqual({ ms: 300, mean_ms: 300, at: 6 });
    expect(atLeast(observed(null, 20, 5), 300, 6)).toEqual({ ms: 300, mean_ms: 300, at: 6 });
  });

  it('rises at once and falls by and by', () => {
    const slow = observed(observed(null, 10, 0), 500, 1);
    expect(slow.ms).toBe(500);
    const better = observed(slow, 10, 2);
    expect(better.ms).toBeGreaterThan(400);
    expect(better.ms).toBeLessThan(500);
  });

  it('rises a little with one slow answer, one with another', () => {
    const once = observed({ ms: 10, mean_ms: 10, at: 0 }, 500, 1);
    expect(once).toEqual({ ms: 500, mean_ms: expect.closeTo(59), at: 1 });
    expect(observed(once, 10, 2).mean_ms).toBeCloseTo(54.1);
  });

  it('fades while nothing is heard, whatever the clock does', () => {
    const slow = observed(null, 500, 0);
    expect(expected(slow, 10_000).ms).toBeCloseTo(500 / Math.E);
    expect(expected(slow, 10_000).mean_ms).toBeCloseTo(500 / Math.E);
    expect(expected(slow, -10).ms).toBe(500);
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
        for (const ms of [latency?.ms, latency?.mean_ms]) {
          expect(ms).toBeLessThanOrEqual(Math.max(...all) + 1e-9);
          expect(ms).toBeGreaterThanOrEqual(Math.min(...all) - 1e-9);
        }
        expect(latency?.mean_ms).toBeLessThanOrEqual((latency?.ms ?? 0) + 1e-9);
      }),
    );
  });
});

describe('what was seen before', () => {
  it('fades by the time since, whatever the time of day', () => {
    const before = { ms: 100, mean_ms: 100, at: 1_000_000 };
    expect(observed(before, 10, before.at).ms).toBeCloseTo(91);
    expect(observed(before, 10, before.at + 3_600_000).ms).toBeCloseTo(10);
  });
});

describe('a call without an answer', () => {
  it('says that it takes at least so long, and never that it is quicker', () => {
    expect(atLeast(null, 20, 5)).toEqual({ ms: 20, mean_ms: 20, at: 5 });
    const slow = observed(null, 500, 0);
    expect(atLeast(slow, 20, 1)).toBe(slow);
    const known = fc
      .tuple(fc.double({ min: 0, max: 1e5, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([ms, share]) => ({ ms, mean_ms: ms * share, at: 0 }));
    fc.assert(
      fc.property(known, fc.nat(100_000), fc.nat(100_000), (before, ms, at) => {
        const after = atLeast(before, ms, at);
        const [then, now] = [expected(before, at), expected(after, at)];
        expect(now.ms).toBeGreaterThanOrEqual(Math.max(ms, then.ms) - 1e-9);
        expect(now.mean_ms).toBeGreaterThanOrEqual(then.mean_ms - 1e-9);
      }),
    );
  });

  it('counts anew where what was known has faded', () => {
    const slow = observed(null, 500, 0);
    expect(atLeast(slow, 100, 60_000)).toEqual({ ms: 100, mean_ms: 100, at: 60_000 });
  });
});

describe('how long answers usually take', () => {
  it('is what the first one took, and moves a little with each', () => {
    expect(usually(null, 40)).toBe(40);
    expect(usually(40, 140)).toBeCloseTo(50);
    expect(usually(40, 40)).toBeCloseTo(40);
  });
});

describe('which share of its calls a provider fails', () => {
  const having = (calls: readonly boolean[], before: Failing | null = null) =>
    calls.reduce<Failing | null>((sum, failed) => ended(sum, failed, 0), before);

  it('is none before the first failure, and a tenth with it', () => {
    expect(failingShare(null, 5)).toBe(0);
    expect(failingShare(ended(null, false, 0), 0)).toBe(0);
    expect(failingShare(ended(null, true, 0), 0)).toBeCloseTo(0.1);
  });

  it('comes close to what it is, in both directions', () => {
    const flaky = having(Array.from({ length: 200 }, (_, index) => index % 5 < 2));
    expect(failingShare(flaky, 0)).toBeGreaterThan(0.2);
    expect(failingShare(flaky, 0)).toBeLessThan(0.6);
    expect(failingShare(having(Array(100).fill(true)), 0)).toBeCloseTo(1, 3);
    expect(failingShare(having(Array(100).fill(false), flaky), 0)).toBeCloseTo(0, 3);
  });

  it('fades while nothing is heard, whatever the clock does', () => {
    const flaky = having([true, true]);
    expect(failingShare(flaky, 10_000)).toBeCloseTo(failingShare(flaky, 0) / Math.E);
    expect(failingShare(flaky, -10)).toBe(failingShare(flaky, 0));
  });

  it('is never less than none or more than all, and rises with failures alone', () => {
    const calls = fc.array(fc.tuple(fc.boolean(), fc.nat(20_000)), { minLength: 1 });
    fc.assert(
      fc.property(calls, (list) => {
        let failing: Failing | null = null;
        let now = 0;
        for (const [failed, later] of list) {
          now += later;
          const before = failingShare(failing, now);
          failing = ended(failing, failed, now);
          expect(failing.share >= before).toBe(failed || before === 0);
          expect(failing.share).toBeLessThanOrEqual(1);
          expect(failing.share).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});
