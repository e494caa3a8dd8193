import { describe, expect, it } from 'vitest';
import { Unwritten } from './unwritten.ts';

const NOW = 1_700_000_000_000;
const full = { tokens: 5, at: NOW - 10_000 };

/** It was written so long ago by somebody else, who was killed. */
function killed(ago_ms: number): Unwritten {
  const unwritten = new Unwritten();
  unwritten.found(NOW - ago_ms, NOW);
  return unwritten;
}

describe('what may have been taken and not been written', () => {
  it('is nothing where nobody was killed, or what is written says everything', () => {
    const unwritten = new Unwritten();
    expect([unwritten.least(full, NOW), unwritten.least(null, NOW), unwritten.left(NOW)]).toEqual([
      full,
      null,
      null,
    ]);
    unwritten.found(null, NOW);
    expect([unwritten.least(full, NOW), unwritten.left(NOW)]).toEqual([full, null]);
  });

  it('is all there was, until the moment in which it was found', () => {
    const unwritten = killed(300);
    expect([unwritten.least(full, NOW + 5), unwritten.least(null, NOW + 5)]).toEqual([
      { tokens: 0, at: NOW },
      { tokens: 0, at: NOW },
    ]);
    const later = { tokens: 3, at: NOW + 2 };
    expect(unwritten.least(later, NOW + 5)).toBe(later);
  });

  it('is that however long nothing had been written: calls may have come after a rest', () => {
    for (const ago_ms of [0, 1400, 100_000])
      expect(killed(ago_ms).least(null, NOW)).toEqual({ tokens: 0, at: NOW });
  });

  it('has come again after another second', () => {
    const unwritten = killed(300);
    expect(unwritten.least(null, NOW + 999)).toEqual({ tokens: 0, at: NOW });
    expect(unwritten.least(null, NOW + 1000)).toBe(null);
    expect(unwritten.left(NOW + 1000)).toBe(null);
  });

  it('is known to whoever comes next', () => {
    const unwritten = killed(300);
    const next = new Unwritten();
    next.found(unwritten.left(NOW + 200), NOW + 250);
    expect(next.least(null, NOW + 250)).toEqual({ tokens: 0, at: NOW + 250 });
  });

  it('is not put off by a clock that is set back, nor by one that was ahead', () => {
    const unwritten = killed(300);
    const hour = 3_600_000;
    expect(unwritten.least(null, NOW - hour)).toEqual({ tokens: 0, at: NOW - hour });
    expect(unwritten.least(null, NOW - hour + 400)).toEqual({ tokens: 0, at: NOW - hour });
    expect(unwritten.least(null, NOW - hour + 1000)).toBe(null);
    const ahead = new Unwritten();
    ahead.found(NOW + hour, NOW);
    expect(ahead.least(null, NOW)).toEqual({ tokens: 0, at: NOW });
  });

  it('is forgotten with the name in which it was found', () => {
    const unwritten = killed(300);
    unwritten.forget();
    expect(unwritten.least(null, NOW)).toBe(null);
  });
});
