import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TurnedAway, takenAgain, turnedAway } from './turned-away.ts';

/** Turned away as soon as it may be asked again, each time. */
function pauses(count: number): number[] {
  let before: TurnedAway | null = null;
  let now = 0;
  return Array.from({ length: count }, () => {
    const { pause_ms, after } = turnedAway(before, { began: now, now: now + 5 });
    before = after;
    now = after.until;
    return pause_ms;
  });
}

describe('a service that turns calls away', () => {
  it('is left alone for a second, and twice as long each time, up to half a minute', () => {
    expect(pauses(7)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('is not left alone for longer by calls that were on their way', () => {
    const { after } = turnedAway(null, { began: 0, now: 10 });
    fc.assert(
      fc.property(fc.integer({ min: -100, max: 1009 }), fc.nat(5000), (began, took) => {
        const late = turnedAway(after, { began, now: began + took });
        expect(late).toEqual({ pause_ms: 0, after });
      }),
    );
  });

  it('begins anew where it has not been asked for a while', () => {
    const { after } = turnedAway({ times: 4, until: 0 }, { began: 29_999, now: 30_000 });
    expect(after.times).toBe(5);
    expect(turnedAway({ times: 4, until: 0 }, { began: 30_000, now: 30_000 }).pause_ms).toBe(1000);
  });

  it('begins anew with a call that it took since', () => {
    const { after } = turnedAway(null, { began: 0, now: 10 });
    expect(takenAgain(after, 1009)).toBe(after);
    expect(takenAgain(after, 1010)).toEqual({ times: 0, until: 1010 });
    expect(takenAgain(null, 5)).toBeNull();
    expect(turnedAway(takenAgain(after, 1010), { began: 1020, now: 1030 }).pause_ms).toBe(1000);
    // One that was on its way since before says nothing new, although another has been answered.
    expect(turnedAway(takenAgain(after, 1010), { began: 1000, now: 1030 }).pause_ms).toBe(0);
  });
});
