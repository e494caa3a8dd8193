import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, foldLines } from './fold.ts';
import { widthOf } from './width.ts';

const texts = fc.array(fc.constantFrom('a', '/', 'é', '日', ' ')).map((characters) => characters.join(''));

describe('a folded text', () => {
  it('is broken between words, and the first line may be shorter', () => {
    expect(fold('one two three four', { first: 7, rest: 10 })).toEqual(['one two', 'three four']);
    expect(fold('three four', { first: 4, rest: 10 })).toEqual(['', 'three four']);
    expect(fold('fits', { first: 80, rest: 80 })).toEqual(['fits']);
  });

  it('keeps its lines and their indentation, and is left alone where nothing limits a line', () => {
    expect(foldLines('one two three\n  four five', 9)).toBe('one two\nthree\n  four\n  five');
    expect(foldLines('one two three\n  four five', null)).toBe('one two three\n  four five');
  });

  it('breaks a word that is longer than a line', () => {
    expect(fold('/a/very/long/path', { first: 6, rest: 6 })).toEqual(['/a/ver', 'y/long', '/path']);
  });

  it('loses nothing and fits', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 4, max: 40 }), (text, rest) => {
        const lines = fold(text, { first: rest, rest });
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(rest);
      }),
    );
  });
});
