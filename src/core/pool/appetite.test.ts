import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appetiteOf, insatiable, widerLook } from './appetite.ts';

const amount = fc.nat(5000);
const state = { left: 5, kept: 0, waiting: 0, long: 0 };

describe('the appetite of a pool', () => {
  it('has no bounds where there are no limits', () => {
    expect(appetiteOf({ ...state, left: Number.POSITIVE_INFINITY, waiting: 9 })).toEqual(insatiable);
  });

  it('is what can begin, and a line to call from', () => {
    expect(appetiteOf(state)).toEqual({ room: 5, line: 64 });
    expect(appetiteOf({ ...state, long: 150 })).toEqual({ room: 5, line: 150 });
    expect(appetiteOf({ ...state, long: 100_000 })).toEqual({ room: 5, line: 2000 });
  });

  it('leaves places to those who wait: only who was called comes for one', () => {
    expect(appetiteOf({ ...state, kept: 2, waiting: 1 })).toEqual({ room: 2, line: 63 });
    expect(appetiteOf({ ...state, kept: 9, waiting: 64 })).toEqual({ room: 5, line: 0 });
    expect(appetiteOf({ ...state, waiting: 3000, long: 150.5 })).toEqual({ room: 0, line: 0 });
  });

  it('is never more than can begin and the longest line, and never nothing while nobody waits', () => {
    fc.assert(
      fc.property(amount, amount, amount, amount, (left, kept, waiting, long) => {
        const { room, line } = appetiteOf({ left, kept, waiting, long });
        expect(room).toBeLessThanOrEqual(left);
        expect(line + waiting).toBeLessThanOrEqual(Math.max(2000, waiting));
        if (waiting === 0) expect(line).toBeGreaterThan(0);
      }),
    );
  });
});

describe('a wider look', () => {
  it('is taken while there is room that nobody who came could use, at more each time', () => {
    const looks = [0];
    for (let time = 0; time < 4; time++) looks.push(widerLook(looks.at(-1) ?? 0, { unused: true, room: 1 }));
    expect(looks).toEqual([0, 8, 16, 32, 64]);
    expect(widerLook(64, { unused: true, room: 0 })).toBe(0);
    expect(widerLook(64, { unused: false, room: 1 })).toBe(0);
  });
});
