import { describe, expect, it } from 'vitest';
import { guardedRegExp, patternTrouble } from './pattern-guard.ts';

describe('patterns', () => {
  it.each([
    '^[a-z]+$',
    '^(a|b)*$',
    '^(?:ab)+$',
    '(a+)',
    '(a+)?',
    '(a+){1}',
    '(a{1,3})+',
    '(a{2})*',
    '(\\d+-)?\\d+',
    '^[(a+)+]+$',
    '\\(a+\\)+',
    '([a\\]+]b)+',
    '^\\p{L}{2,40}$',
    'a{',
    '^[^@]+@[^@]+$',
    '\\\\1',
    'x'.repeat(256),
  ])('%s is accepted', (pattern) => {
    expect(patternTrouble(pattern)).toBeUndefined();
  });

  it.each([
    '(a+)+',
    '(a*)*',
    '(a+){2}',
    '(a+){2,}',
    '(a{2,})+',
    '(a|b+)*',
    '((a+))+',
    '((a)+b)+',
    '(?:a+b?)+$',
    '(x(a+)y)*',
    '([a-z]+)*',
    '(a+)+(b)',
  ])('%s is refused: it repeats what repeats', (pattern) => {
    expect(patternTrouble(pattern)).toBe(
      `the pattern ${JSON.stringify(pattern)} repeats a group that repeats itself`,
    );
    expect(() => guardedRegExp(pattern, 'u')).toThrow(/repeats/);
  });

  it('are refused when they are long or look back', () => {
    expect(patternTrouble('x'.repeat(257))).toBe('a pattern is at most 256 characters long');
    expect(patternTrouble('(a)\\1')).toBe('the pattern "(a)\\\\1" refers back to a group');
    expect(patternTrouble('(?<n>a)\\k<n>')).toContain('refers back');
  });

  it('are tried on texts of bounded length', () => {
    const { test } = guardedRegExp('^x+$', 'u');
    expect(test('xxx')).toBe(true);
    expect(test('xyx')).toBe(false);
    expect(test('x'.repeat(8_192))).toBe(true);
    expect(() => test('x'.repeat(8_193))).toThrow(RangeError);
  });

  it('read texts by characters, not by halves of them', () => {
    expect(guardedRegExp('^.$', 'u').test('😀')).toBe(true);
  });
});
