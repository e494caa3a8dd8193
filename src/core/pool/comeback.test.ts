import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Comeback, calledAgain, comesBack, endedAgain, lets, letsAt } from './comeback.ts';

const FROM = 1000;
const well = (before: Comeback, now: number) => endedAgain(before, { well: true, now });

/** As many calls as it lets at once, answered a moment later, again and again: how many those were. */
function rounds(first: Comeback, count: number): number[] {
  let comeback = first;
  let now = first.from;
  return Array.from({ length: count }, () => {
    const size = lets(comeback, now);
    if (size === Number.POSITIVE_INFINITY) return size;
    for (let index = 0; index < size; index++) comeback = calledAgain(comeback, now);
    now += 10;
    for (let index = 0; index < size; index++) comeback = well(comeback, now);
    return size;
  });
}

/** It has taken so many before it turned one away. */
function hasTaken(taken: number): Comeback {
  let comeback = comesBack(FROM, null, 0);
  for (let index = 0; index < taken; index++) comeback = well(calledAgain(comeback, FROM), FROM);
  return comesBack(FROM + 2000, comeback, FROM + 1000);
}

describe('a service that comes back after it was left alone', () => {
  it('gets one call, twice as many with each round of answers, and soon all there are', () => {
    expect(rounds(comesBack(FROM, null, 0), 7)).toEqual([1, 2, 4, 8, 16, 32, Number.POSITIVE_INFINITY]);
  });

  it('gets no more where calls fail or come to nothing', () => {
    let comeback = calledAgain(comesBack(FROM, null, 0), FROM);
    expect(lets(comeback, FROM)).toBe(0);
    comeback = endedAgain(comeback, { well: false, now: FROM + 5 });
    expect(lets(comeback, FROM + 5)).toBe(1);
  });

  it('gets more by and by where answers take long: whoever turns calls away says so soon', () => {
    let comeback = calledAgain(comesBack(FROM, null, 0), FROM + 100);
    expect([lets(comeback, FROM + 599), letsAt(comeback, FROM + 100)]).toEqual([0, FROM + 600]);
    comeback = calledAgain(comeback, FROM + 600);
    expect([lets(comeback, FROM + 600), letsAt(comeback, FROM + 700)]).toEqual([0, FROM + 1100]);
    expect([lets(comeback, FROM + 1100), letsAt(comeback, FROM + 1100)]).toEqual([2, null]);
    expect(lets(comeback, FROM + 3600)).toBe(Number.POSITIVE_INFINITY);
    expect(lets(endedAgain(comeback, { well: false, now: FROM + 1100 }), FROM + 1100)).toBe(3);
  });

  it('gets all there are after half a minute, however few have come', () => {
    const idle = comesBack(FROM, null, 0);
    expect([lets(idle, FROM + 29_999), lets(idle, FROM + 30_000)]).toEqual([1, Number.POSITIVE_INFINITY]);
    const pressed = calledAgain(calledAgain(idle, FROM + 29_900), FROM + 29_900);
    expect(letsAt(pressed, FROM + 29_901)).toBe(FROM + 30_000);
  });

  it('gets few at a time up to what it took the time before, and then more as ever', () => {
    const sizes = rounds(hasTaken(20), 12);
    expect(Math.max(...sizes.slice(0, 6))).toBeLessThanOrEqual(6);
    expect(sizes.at(-1)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is remembered for what it took where it asks for more time at once, and not for long', () => {
    const again = comesBack(FROM + 3000, hasTaken(20), FROM + 1500);
    expect(again.quota).toBe(20);
    expect(comesBack(FROM + 99_000, again, FROM + 33_000).quota).toBe(0);
  });
});

describe('whatever comes', () => {
  const step = fc.record({
    ms: fc.nat(900),
    what: fc.constantFrom<'call' | 'well' | 'bad'>('call', 'call', 'well', 'bad'),
  });

  it('no more are under way than are let, and it never waits without end', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.nat(40), (steps, quota) => {
        let [comeback, now] = [hasTaken(quota), FROM + 2000];
        for (const { ms, what } of steps) {
          now += ms;
          const room = lets(comeback, now);
          if (what === 'call' && room > 0) {
            comeback = calledAgain(comeback, now);
            if (room < Number.POSITIVE_INFINITY) expect(lets(comeback, now)).toBe(room - 1);
          } else if (comeback.inside > 0 && what !== 'call') {
            comeback = endedAgain(comeback, { well: what === 'well', now });
            expect(lets(comeback, now)).toBeGreaterThanOrEqual(1);
          }
          expect(comeback.inside).toBeGreaterThanOrEqual(0);
          const at = letsAt(comeback, now);
          expect(at === null).toBe(lets(comeback, now) > 0);
          if (at === null) continue;
          expect(at).toBeGreaterThan(now);
          expect(lets(comeback, at)).toBeGreaterThan(0);
          expect(at).toBeLessThanOrEqual(now + 500);
        }
      }),
    );
  });
});
