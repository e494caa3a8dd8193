import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortened } from './reply-text.ts';

describe('a text that is shortened', () => {
  it('stays as it is where it fits, and shows where it ends otherwise', () => {
    expect(shortened('12345', 5)).toBe('12345');
    expect(shortened('123456', 5)).toBe('1234…');
    expect(shortened('', 1)).toBe('');
  });

  it('is not cut through a character', () => {
    expect(shortened('abc😀😀', 5)).toBe('abc…');
    expect(shortened('ab😀😀', 5)).toBe('ab😀…');
  });

  it('is well-formed, fits, and loses no more than it has to', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (whole, longest) => {
        const short = shortened(whole, longest);
        expect(short.isWellFormed()).toBe(true);
        expect(short.length).toBeLessThanOrEqual(longest);
        expect(short.length).toBeGreaterThanOrEqual(Math.min(whole.length, longest - 1));
        expect(whole.startsWith(short.slice(0, -1))).toBe(true);
      }),
    );
  });
});
