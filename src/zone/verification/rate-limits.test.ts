import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimits } from './rate-limits.ts';

const asked = (user_id: string, channel = 'C1') => ({
  user_id,
  channel,
  text: '',
  correlation_id: '',
  team_id: 'T1',
});
const limits = () =>
  new RateLimits({ per_user: { requests: 2, per_ms: 1000 }, per_channel: { requests: 3, per_ms: 1000 } });

describe('rate limits', () => {
  it('bound what a user asks, and what is asked in a channel', () => {
    const rates = limits();
    expect(['U1', 'U1', 'U1', 'U2', 'U3'].map((user) => rates.take(asked(user), 0))).toEqual([
      ...['allowed', 'allowed', 'too_many', 'allowed', 'channel_busy'],
    ]);
    expect(rates.take(asked('U1', 'C2'), 0)).toBe('too_many');
    expect(rates.take(asked('U3', 'C2'), 0)).toBe('allowed');
    expect(rates.take(asked('U1'), 500)).toBe('allowed');
  });

  it('do not count what is refused', () => {
    const rates = limits();
    for (let n = 0; n < 100; n++) rates.take(asked('U1'), 0);
    expect(rates.take(asked('U1'), 500)).toBe('allowed');
  });

  it('do not charge a user for what a channel refuses', () => {
    const rates = limits();
    for (const user of ['U2', 'U3', 'U4']) rates.take(asked(user), 0);
    expect([1, 2, 3].map(() => rates.take(asked('U1'), 0))).toEqual(Array(3).fill('channel_busy'));
    expect([1, 2, 3].map(() => rates.take(asked('U1', 'C2'), 0))).toEqual([
      ...['allowed', 'allowed', 'too_many'],
    ]);
  });

  it('give back what was no request, as if it had never been one', () => {
    const user = fc.constantFrom('U1', 'U2');
    const moment = fc.record({ gap: fc.integer({ min: 0, max: 700 }), user, void: fc.boolean() });
    fc.assert(
      fc.property(fc.array(moment), (moments) => {
        const [rates, others] = [limits(), limits()];
        let now = 0;
        for (const one of moments) {
          now += one.gap;
          const verdict = rates.take(asked(one.user), now);
          if (!one.void) expect(verdict).toBe(others.take(asked(one.user), now));
          else if (verdict === 'allowed') rates.giveBack(asked(one.user));
        }
      }),
    );
  });

  it('say that they are kept once in a while', () => {
    const rates = limits();
    expect([rates.tells(asked('U2'), 0), rates.tells(asked('U3'), 0)]).toEqual([true, true]);
    expect([0, 10, 999, 1000].map((now) => rates.tells(asked('U1'), now))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it('forget whoever has not asked for long', () => {
    const rates = limits();
    for (let n = 0; n < 1000; n++) rates.take(asked(`U${n}`, `C${n}`), n * 2000);
    expect(rates.size).toBeLessThan(10);
  });

  it('let no more pass in any window than they say, and as much over time', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 5 }), (between, requests) => {
        const rate = { requests, per_ms: 1000 };
        const rates = new RateLimits({ per_user: rate, per_channel: { requests: 1000, per_ms: 1 } });
        let now = 0;
        const passed: number[] = [];
        for (const gap of between) {
          now += gap;
          if (rates.take(asked('U1'), now) === 'allowed') passed.push(now);
        }
        // A full measure at once, and one more for every share of the time after it.
        for (const [index, from] of passed.entries()) {
          const within = passed.slice(index).filter((at) => at < from + 1000).length;
          expect(within).toBeLessThan(requests * 2 + 1);
        }
        expect(passed.length).toBeGreaterThan(0);
      }),
    );
  });
});
