import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardedRegExp, isPlain } from './pattern-guard.ts';

describe('patterns', () => {
  it.each([
    '^[a-z]+$',
    '^(?:ab)+$',
    '(a|b)',
    '(a{2})?x',
    '^[(a+)+]+$',
    '\\(a\\)+',
    '^\\p{L}{2,40}$',
    'a{',
    '\\\\1',
  ])('%s is plain', (pattern) => {
    expect(isPlain(pattern)).toBe(true);
  });

  it.each([
    '(a+)+',
    '^(a|b)*$',
    '(a{1,3})+',
    '(x(a+)y)*',
    '((a)+b){2}',
    '^[^@]+@[^@]+$',
    '.*.*',
    '(a)\\1',
    '(?<n>a)\\k<n>',
  ])('%s is not', (pattern) => {
    expect(isPlain(pattern)).toBe(false);
  });

  it.each([
    ['^(a|a)*$', `${'a'.repeat(4000)}!`],
    ['^(\\w|\\d)+$', `${'1'.repeat(4000)}!`],
    ['^(a|aa)+$', `${'a'.repeat(4000)}!`],
    ['(a+)+$', `${'a'.repeat(4000)}!`],
    ['^.*.*.*.*.*.*=$', 'a'.repeat(4000)],
    ['^([a-z]+,)*$', `${'abc,'.repeat(1000)}1`],
  ])('%s takes no longer than its text is', (pattern, text) => {
    expect(guardedRegExp(pattern, 'u').test(text)).toBe(false);
  });

  it.each(['(a)\\1', '^(?=(a|b)*c)(x|y)*$', '(?<!a+)b+'])('%s is refused with what to do', (pattern) => {
    expect(() => guardedRegExp(pattern, 'u')).toThrow(
      expect.objectContaining({
        code: 'GLZ1008',
        details: expect.objectContaining({ hint: expect.any(String) }),
      }),
    );
  });

  it('are refused when they are long, or none at all', () => {
    expect(() => guardedRegExp('x'.repeat(257), 'u')).toThrow('at most 256 characters');
    expect(() => guardedRegExp('(a', 'u')).toThrow(SyntaxError);
  });

  it('are not tried on long texts', () => {
    const { test } = guardedRegExp('^x+$', 'u');
    expect(test('x'.repeat(8192))).toBe(true);
    expect(() => test('x'.repeat(8193))).toThrow(RangeError);
  });

  it('see whole characters', () => {
    expect(guardedRegExp('^.$', 'u').test('😀')).toBe(true);
    expect(guardedRegExp('^(.|x)+$', 'u').test('😀')).toBe(true);
    expect(guardedRegExp('^(\\u0041|\\p{Lu})*$', 'u').test('AÄ')).toBe(true);
  });

  it('mean the same whoever runs them', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '\\d', '(a|b)', '(?:ab|a)', '.');
    const piece = fc.tuple(atom, fc.constantFrom('', '*', '+', '?', '{1,2}')).map(([a, r]) => a + r);
    const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => `^${pieces.join('')}$`);
    fc.assert(
      fc.property(
        pattern,
        fc.string({ unit: fc.constantFrom('a', 'b', '1'), maxLength: 8 }),
        (source, text) => {
          expect(guardedRegExp(source, 'u').test(text)).toBe(new RegExp(source, 'u').test(text));
        },
      ),
    );
  });
});
