import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Bucket,
  dueIn,
  exchanged,
  filled,
  fullBucket,
  inBucket,
  isCountable,
  isSlow,
  leastIn,
  parseRate,
  rateLimit,
  takenFrom,
} from './bucket.ts';

const limits = fc.record({
  per_ms: fc.double({ min: 0.0001, max: 5, noNaN: true }),
  burst: fc.integer({ min: 1, max: 100 }),
});
const asks = fc.array(
  fc.record({ later: fc.double({ min: 0, max: 5000, noNaN: true }), count: fc.integer({ min: 1, max: 20 }) }),
  {
    maxLength: 60,
  },
);

describe('a rate as it is written', () => {
  it.each([
    ['10/s', 10, 1000],
    ['600/min', 600, 60_000],
    [' 1000 / h ', 1000, 3_600_000],
    ['0.5/s', 0.5, 1000],
  ])('%s', (text, count, ms) => {
    expect(parseRate(text)).toEqual({ count, ms });
  });

  it.each(['', '10', '10/d', '-1/s', '0/s', 'ten/s', '10/s/s'])('%s is none', (text) => {
    expect(parseRate(text)).toBeNull();
  });

  it.each([
    ['0.001/h', true],
    ['1000000/s', true],
    ['3600000000/h', true],
    ['0.0009/h', false],
    ['1000001/s', false],
    [`${'9'.repeat(400)}/s`, false],
  ])('%s can be counted: %s', (text, expected) => {
    const rate = parseRate(text);
    expect(rate !== null && isCountable(rate)).toBe(expected);
  });

  it('allows at once what comes in a second, unless it says otherwise', () => {
    expect(rateLimit({ count: 10, ms: 1000 })).toEqual({ per_ms: 0.01, burst: 10 });
    expect(rateLimit({ count: 1000, ms: 3_600_000 }).burst).toBe(1);
    expect(rateLimit({ count: 10, ms: 1000 }, 3).burst).toBe(3);
  });

  it('is slow where a second does not bring its burst back', () => {
    for (let count = 1; count <= 100; count++) expect(isSlow(rateLimit({ count, ms: 1000 }))).toBe(false);
    expect(isSlow(rateLimit({ count: 59, ms: 60_000 }))).toBe(true);
    expect(isSlow(rateLimit({ count: 60, ms: 60_000 }))).toBe(false);
    expect(isSlow(rateLimit({ count: 10, ms: 1000 }, 11))).toBe(true);
  });
});

describe('a bucket of tokens', () => {
  it('gives its burst, then one by one as they come', () => {
    const limit = { per_ms: 0.01, burst: 2 };
    const first = takenFrom(fullBucket(limit, 0), limit, { count: 5, now: 0 });
    expect(first.taken).toBe(2);
    expect(dueIn(first.bucket, limit, { count: 1, now: 0 })).toBe(100);
    expect(inBucket(first.bucket, limit, 99)).toBe(0);
    expect(inBucket(first.bucket, limit, 100)).toBe(1);
    expect(dueIn(first.bucket, limit, { count: 1, now: 100 })).toBe(0);
    expect(dueIn(first.bucket, limit, { count: 50, now: 0 })).toBe(200);
  });

  it('neither gains nor loses by a clock that goes back', () => {
    const limit = { per_ms: 1, burst: 10 };
    const bucket: Bucket = { tokens: 3, at: 100 };
    expect(filled(bucket, limit, 50)).toEqual(bucket);
  });

  it('has got nothing until then, where nobody knows what was taken meanwhile', () => {
    const limit = { per_ms: 0.01, burst: 5 };
    expect(leastIn({ tokens: 3, at: 299 }, 300)).toEqual({ tokens: 0, at: 300 });
    expect(inBucket(leastIn({ tokens: 3, at: 299 }, 300), limit, 500)).toBe(2);
    expect(leastIn({ tokens: 1, at: 400 }, 300)).toEqual({ tokens: 1, at: 400 });
  });

  it('never gives more than its burst and what came since', () => {
    fc.assert(
      fc.property(limits, asks, (limit, list) => {
        let bucket = fullBucket(limit, 0);
        let now = 0;
        let given = 0;
        for (const { later, count } of list) {
          now += later;
          const answer = takenFrom(bucket, limit, { count, now });
          bucket = answer.bucket;
          given += answer.taken;
          expect(given).toBeLessThanOrEqual(limit.burst + limit.per_ms * now + 1e-3);
        }
      }),
    );
  });

  it('loses none: whoever asks when told gets what was promised', () => {
    fc.assert(
      fc.property(limits, asks, (limit, list) => {
        let bucket = fullBucket(limit, 0);
        let now = 0;
        for (const { count } of list) {
          const wanted = Math.min(count, limit.burst);
          now += dueIn(bucket, limit, { count: wanted, now });
          const answer = takenFrom(bucket, limit, { count: wanted, now });
          expect(answer.taken).toBe(wanted);
          bucket = answer.bucket;
        }
      }),
    );
  });

  it('is never fuller than full with those that are out, and neither makes nor loses any below that', () => {
    const steps = fc.array(
      fc.record({
        later: fc.double({ min: 0, max: 500, noNaN: true }),
        count: fc.nat(20),
        back: fc.nat(20),
      }),
    );
    fc.assert(
      fc.property(limits, steps, (limit, list) => {
        let bucket = fullBucket(limit, 0);
        let [now, here] = [0, 0];
        for (const step of list) {
          now += step.later;
          const back = Math.min(step.back, here);
          const before = filled(bucket, limit, now).tokens;
          const answer = exchanged(bucket, limit, { count: step.count, here: here - back, back, now });
          const room = limit.burst - (here - back);
          expect(answer.bucket.tokens + answer.taken).toBeCloseTo(
            Math.max(0, Math.min(before + back, room)),
            3,
          );
          here += answer.taken - back;
          bucket = answer.bucket;
          expect(bucket.tokens + here).toBeLessThanOrEqual(limit.burst + 1e-3);
        }
      }),
    );
  });

  it('has the same in it however often somebody looks', () => {
    fc.assert(
      fc.property(limits, asks, (limit, list) => {
        let looked: Bucket = { tokens: 0, at: 0 };
        let now = 0;
        for (const { later } of list) {
          now += later;
          looked = filled(looked, limit, now);
        }
        expect(looked.tokens).toBeCloseTo(filled({ tokens: 0, at: 0 }, limit, now).tokens, 6);
      }),
    );
  });
});
