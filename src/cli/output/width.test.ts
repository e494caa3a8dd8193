import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutTo, padTo, widthOf } from './width.ts';

describe('the width of text on a terminal', () => {
  it.each([
    ['plain', 5],
    ['', 0],
    ['Überraschung', 12],
    ['e\u0301te\u0301', 3],
    ['日本語', 6],
    ['한국어', 6],
    ['ｆｕｌｌ', 8],
    ['a\u200bb', 2],
    ['👍', 2],
    ['👨‍👩‍👧‍👦', 2],
    ['🇩🇪', 2],
    ['✓ done', 6],
    ['𠮷', 2],
  ])('%s takes %i cells', (text, cells) => {
    expect(widthOf(text)).toBe(cells);
  });

  it('cuts to what fits, never through a character', () => {
    expect(cutTo('workflow', 5)).toBe('work…');
    expect(cutTo('workflow', 8)).toBe('workflow');
    expect(cutTo('日本語', 4)).toBe('日…');
    expect(cutTo('👨‍👩‍👧‍👦 family', 4)).toBe('👨‍👩‍👧‍👦 …');
    expect(cutTo('abc', 0)).toBe('');
  });

  it('holds for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, width) => {
        expect(widthOf(cutTo(text, width))).toBeLessThanOrEqual(width);
        expect(widthOf(padTo(cutTo(text, width), width))).toBe(width);
      }),
    );
  });
});
