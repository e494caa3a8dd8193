import { describe, expect, it } from 'vitest';
import { patienceOf, pauseBefore } from './reconnect.ts';

const patience = patienceOf({ first_ms: 100, longest_ms: 1000, give_up_ms: 30_000 });

describe('the pause before the next try', () => {
  const pauses = (chance: number) =>
    [1, 2, 3, 4, 5, 60].map((failures) =>
      pauseBefore(patience, { failures, since_ms: 0, reached: true }, chance),
    );

  it('grows to a bound, and is a matter of chance', () => {
    expect(pauses(1)).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(pauses(0)).toEqual([50, 100, 200, 400, 500, 500]);
  });

  it('ends when a server has been away for long', () => {
    const awayFor = (since_ms: number) => pauseBefore(patience, { failures: 9, since_ms, reached: true }, 1);
    expect([awayFor(29_999), awayFor(30_000)]).toEqual([1000, null]);
    const endless = patienceOf({ give_up_ms: Infinity });
    expect(pauseBefore(endless, { failures: 9999, since_ms: 1e12, reached: true }, 1)).toBe(5000);
  });

  it('ends after three tries where the server never was there', () => {
    const tried = (failures: number) => pauseBefore(patience, { failures, since_ms: 1, reached: false }, 1);
    expect([tried(1), tried(2), tried(3)]).toEqual([100, 200, null]);
  });

  it.each([{ first_ms: 0 }, { longest_ms: -1 }, { give_up_ms: Number.NaN }])('is not set to %j', (given) => {
    expect(() => patienceOf(given)).toThrow(TypeError);
  });
});
