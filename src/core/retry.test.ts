import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorCodes } from './error-codes.ts';
import { type AttemptEnd, decideRetry, defaultRetry, type RetryConfig } from './retry.ts';
import { trouble } from './testing/builders.suite.ts';

const TEN_YEARS = 10 * 365 * 24 * 3600 * 1000;
const steady: RetryConfig = { ...defaultRetry, jitter: 0 };

function end(fields: Partial<AttemptEnd> = {}): AttemptEnd {
  return { attempt: 1, first_started_at: 0, now: 0, error: trouble('GLZ2001'), chance: 0, ...fields };
}

/** The delay before each next attempt, in milliseconds. */
function delays(config: RetryConfig, count: number, fields: Partial<AttemptEnd> = {}): number[] {
  return Array.from({ length: count }, (_, index) => {
    const decision = decideRetry(
      { ...config, max_attempts: count + 1 },
      end({ ...fields, attempt: index + 1 }),
    );
    if (!decision.retry) throw new Error(decision.why);
    return decision.at - (fields.now ?? 0);
  });
}

describe('the defaults', () => {
  it('are what users rely on', () => {
    expect(defaultRetry).toEqual({
      max_attempts: 3,
      backoff: 'exponential',
      initial_delay: 1,
      multiplier: 2,
      max_delay: 60,
      jitter: 0.5,
      max_total: null,
      retry_on: ['transport', 'timeout', 'rate_limit', 'server', 'interrupted'],
    });
  });

  it.each(Object.keys(errorCodes) as ErrorCode[])('%s is tried again if its class may pass', (code) => {
    const passes = ['transport', 'timeout', 'rate_limit', 'server', 'interrupted'];
    const expected = passes.includes(errorCodes[code].class)
      ? { retry: true, at: 1_000, counts: true }
      : { retry: false, why: 'not_retryable' };
    expect(decideRetry(steady, end({ error: trouble(code) }))).toEqual(expected);
  });
});

describe('how often', () => {
  it('is exactly max_attempts', () => {
    expect(decideRetry(steady, end({ attempt: 2 }))).toEqual({ retry: true, at: 2_000, counts: true });
    expect(decideRetry(steady, end({ attempt: 3 }))).toEqual({ retry: false, why: 'attempts_used_up' });
    expect(decideRetry(steady, end({ attempt: 4 }))).toEqual({ retry: false, why: 'attempts_used_up' });
    const once = { ...steady, max_attempts: 1 };
    expect(decideRetry(once, end())).toEqual({ retry: false, why: 'attempts_used_up' });
  });

  it('says that an error is final before it counts', () => {
    const final = end({ attempt: 9, error: trouble('GLZ2010') });
    expect(decideRetry(steady, final)).toEqual({ retry: false, why: 'not_retryable' });
  });

  it('is what retry_on says', () => {
    const config: RetryConfig = { ...steady, retry_on: ['rejected'] };
    expect(decideRetry(config, end({ error: trouble('GLZ2010') })).retry).toBe(true);
    expect(decideRetry(config, end())).toEqual({ retry: false, why: 'not_retryable' });
  });

  it('is once more elsewhere where an error is final with one provider, at once', () => {
    const error = trouble('GLZ2010', { fault: 'provider', elsewhere: true, retry_after_ms: 9000 });
    expect(decideRetry(steady, end({ error, now: 7 }))).toEqual({ retry: true, at: 7, counts: true });
    expect(decideRetry(steady, end({ error, attempt: 3 }))).toEqual({
      retry: false,
      why: 'attempts_used_up',
    });
    const never: RetryConfig = { ...steady, retry_on: [] };
    expect(decideRetry(never, end({ error }))).toEqual({ retry: false, why: 'not_retryable' });
    const unmarked = trouble('GLZ2010', { fault: 'provider' });
    expect(decideRetry(steady, end({ error: unmarked }))).toEqual({ retry: false, why: 'not_retryable' });
  });

  it('is another one than those it may have where whoever was asked does not have the method', () => {
    const error = trouble('GLZ2010', { fault: 'method', elsewhere: true });
    const last = end({ error, now: 7, attempt: 3 });
    expect(decideRetry(steady, last)).toEqual({ retry: true, at: 7, counts: false });
    expect(decideRetry({ ...steady, retry_on: [] }, last)).toEqual({ retry: false, why: 'not_retryable' });
    const alone = trouble('GLZ2010', { fault: 'method' });
    expect(decideRetry(steady, end({ error: alone }))).toEqual({ retry: false, why: 'not_retryable' });
    const late = decideRetry({ ...steady, max_total: 0 }, last);
    expect(late).toEqual({ retry: false, why: 'budget_used_up' });
  });

  it('ends with the budget, to the millisecond', () => {
    const config = { ...steady, max_total: 10 };
    expect(decideRetry(config, end({ first_started_at: 500, now: 9_500 }))).toEqual({
      retry: true,
      at: 10_500,
      counts: true,
    });
    const late = end({ first_started_at: 500, now: 9_501 });
    expect(decideRetry(config, late)).toEqual({ retry: false, why: 'budget_used_up' });
    expect(decideRetry({ ...config, max_total: 0 }, end())).toEqual({ retry: false, why: 'budget_used_up' });
  });
});

describe('delays', () => {
  it.each([
    ['fixed', [1_000, 1_000, 1_000, 1_000]],
    ['linear', [1_000, 2_000, 3_000, 4_000]],
    ['exponential', [1_000, 2_000, 4_000, 8_000]],
  ] as const)('grow: %s', (backoff, expected) => expect(delays({ ...steady, backoff }, 4)).toEqual(expected));

  it('start from now', () => expect(delays(steady, 2, { now: 77 })).toEqual([1_000, 2_000]));

  it('scale with initial_delay and multiplier, and are whole milliseconds', () => {
    expect(delays({ ...steady, initial_delay: 0.5, multiplier: 3 }, 3)).toEqual([500, 1_500, 4_500]);
    expect(delays({ ...steady, initial_delay: 0.0016 }, 2)).toEqual([2, 3]);
  });

  it('stop at max_delay', () => {
    expect(delays({ ...steady, max_delay: 3.5 }, 4)).toEqual([1_000, 2_000, 3_500, 3_500]);
    expect(delays(steady, 2000).at(-1)).toBe(60_000);
  });

  it('of nothing stay nothing, however often', () => {
    expect(delays({ ...steady, initial_delay: 0, multiplier: 10 }, 2000).at(-1)).toBe(0);
  });

  it('leave the given share to chance', () => {
    const half = (chance: number) => delays({ ...steady, jitter: 0.5 }, 1, { chance })[0];
    expect([half(0), half(0.5), half(0.9)]).toEqual([1_000, 750, 550]);
    expect(delays({ ...steady, jitter: 1 }, 1, { chance: 0.25 })).toEqual([750]);
  });

  it.each([
    [5_000, 5_000],
    [120_000, 120_000],
    [650, 650],
    [649, 650],
    [0, 650],
    [-3, 650],
    [1e17, TEN_YEARS],
    [1e300, TEN_YEARS],
    [Number.NaN, 650],
  ])('are never less than the service asked for, nor than our own, within bounds: %d', (asked, delay) => {
    const error = trouble('GLZ2004', { retry_after_ms: asked });
    expect(decideRetry(defaultRetry, end({ now: 10, error, chance: 0.7 }))).toEqual({
      retry: true,
      at: 10 + delay,
      counts: true,
    });
  });

  it('are whole milliseconds, whatever the service asks for', () => {
    const error = trouble('GLZ2004', { retry_after_ms: 0.2 });
    expect(delays({ ...steady, initial_delay: 0 }, 1, { error })).toEqual([1]);
  });

  it('grow however often the service says that it may be asked at once', () => {
    const error = trouble('GLZ2004', { retry_after_ms: 0 });
    expect(delays(steady, 4, { error })).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  it('are our own where another provider takes the call, however long this one asked to be left alone', () => {
    const error = trouble('GLZ2004', { retry_after_ms: 600_000, elsewhere: true });
    expect(delays(steady, 3, { error })).toEqual([1_000, 2_000, 4_000]);
    const never: RetryConfig = { ...steady, retry_on: ['server'] };
    expect(decideRetry(never, end({ error }))).toEqual({ retry: false, why: 'not_retryable' });
  });
});

const configs: fc.Arbitrary<RetryConfig> = fc.record({
  max_attempts: fc.integer({ min: 1, max: 30 }),
  backoff: fc.constantFrom('fixed', 'linear', 'exponential'),
  initial_delay: fc.double({ min: 0, max: 100, noNaN: true }),
  multiplier: fc.double({ min: 1, max: 10, noNaN: true }),
  max_delay: fc.double({ min: 0, max: 1_000, noNaN: true }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  max_total: fc.option(fc.double({ min: 0, max: 1_000, noNaN: true })),
  retry_on: fc.constant(defaultRetry.retry_on),
});
const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('any configuration', () => {
  it('sends an error elsewhere as long as there are attempts and time, and never waits for it', () => {
    const error = trouble('GLZ2005', { elsewhere: true });
    const times = fc.record({ attempt: fc.integer({ min: 1, max: 40 }), now: fc.nat(2_000_000) });
    fc.assert(
      fc.property(configs, times, (config, { attempt, now }) => {
        const decision = decideRetry(config, end({ error, attempt, now }));
        const late = config.max_total !== null && now > config.max_total * 1000;
        if (attempt >= config.max_attempts) expect(decision).toMatchObject({ why: 'attempts_used_up' });
        else if (late) expect(decision).toMatchObject({ why: 'budget_used_up' });
        else expect(decision).toEqual({ retry: true, at: now, counts: true });
      }),
    );
  });

  it('never shortens a delay without chance, and never passes its cap', () => {
    fc.assert(
      fc.property(configs, (config) => {
        const list = delays({ ...config, jitter: 0, max_total: null }, 20);
        expect(list).toEqual([...list].sort((a, b) => a - b));
        expect(Math.max(...list)).toBeLessThanOrEqual(Math.round(config.max_delay * 1000));
      }),
    );
  });

  it('takes away at most its jitter', () => {
    fc.assert(
      fc.property(configs, chances, (config, chance) => {
        const open = { ...config, max_total: null };
        const full = delays({ ...open, jitter: 0 }, 10);
        for (const [index, delay] of delays(open, 10, { chance }).entries()) {
          expect(delay).toBeLessThanOrEqual(full[index] ?? 0);
          expect(delay).toBeGreaterThanOrEqual(Math.floor((full[index] ?? 0) * (1 - config.jitter)) - 1);
        }
      }),
    );
  });

  it('makes exactly max_attempts attempts, or fewer inside its budget', () => {
    fc.assert(
      fc.property(configs, chances, (config, chance) => {
        let now = 0;
        for (let attempt = 1; ; attempt++) {
          expect(attempt).toBeLessThanOrEqual(config.max_attempts);
          const decision = decideRetry(config, end({ attempt, now, chance }));
          if (decision.retry) {
            now = decision.at;
            if (config.max_total !== null) expect(now).toBeLessThanOrEqual(config.max_total * 1000);
            continue;
          }
          if (decision.why === 'attempts_used_up') expect(attempt).toBe(config.max_attempts);
          else expect([decision.why, config.max_total === null]).toEqual(['budget_used_up', false]);
          break;
        }
      }),
    );
  });
});
