import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from './suggest.ts';

describe('the nearest known word', () => {
  it.each([
    ['protocl', 'protocol'],
    ['protoocl', 'protocol'],
    ['Protocol', 'protocol'],
    ['priorty', 'priority'],
    ['maxResults', 'max_results'],
    ['max-results', 'max_results'],
    ['max results', 'max_results'],
    ['max_reslut', 'max_results'],
    ['ids', 'id'],
  ])('takes %s for %s', (written, meant) => {
    expect(nearest(written, ['id', 'protocol', 'priority', 'max_results'])).toBe(meant);
  });

  it('is silent where nothing is close', () => {
    expect(nearest('banana', ['protocol', 'method'])).toBeUndefined();
    expect(nearest('xy', ['id', 'ab'])).toBeUndefined();
    expect(nearest('x', [])).toBeUndefined();
  });

  it('allows one change in three letters and never more than three', () => {
    expect(nearest('abc', ['abd'])).toBe('abd');
    expect(nearest('abc', ['ade'])).toBeUndefined();
    expect(nearest('abcdef', ['abcdxy'])).toBe('abcdxy');
    expect(nearest('abcdef', ['abcxyz'])).toBeUndefined();
    expect(nearest('abcdefghijklmno', ['abcdefghijklxyz'])).toBe('abcdefghijklxyz');
    expect(nearest('abcdefghijklmno', ['abcdefghijkwxyz'])).toBeUndefined();
    expect(nearest('abcdefghijkl', ['abcdefghijklmnop'])).toBeUndefined();
  });

  it('counts insertions, deletions, replacements and swaps as one change each', () => {
    expect(nearest('abcd', ['abc'])).toBe('abc');
    expect(nearest('abc', ['abcd'])).toBe('abcd');
    expect(nearest('bac', ['abc'])).toBe('abc');
    expect(nearest('acb', ['abc'])).toBe('abc');
    expect(nearest('cab', ['abc'])).toBeUndefined();
  });

  it('prefers the closest, and of equals the first', () => {
    expect(nearest('timeot', ['timeboxed', 'timeout', 'timeo'])).toBe('timeout');
    expect(nearest('tame', ['time', 'tome'])).toBe('time');
  });

  it('looks at words of bounded length and at a bounded number of them', () => {
    const word = 'a'.repeat(64);
    expect(nearest(word, [word])).toBe(word);
    expect(nearest(`${word}a`, [word])).toBeUndefined();
    expect(nearest(word, [`${word}a`, word])).toBe(word);
    const many = Array.from({ length: 2_000 }, () => 'zzzzzz');
    expect(nearest('abc', [...many.slice(1), 'abc'])).toBe('abc');
    expect(nearest('abc', [...many, 'abc'])).toBeUndefined();
  });

  it('finds every word among the known', () => {
    const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,12}$/), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(
        words,
        fc.nat(),
        (known, i) => nearest(String(known[i % known.length]), known) === known[i % known.length],
      ),
    );
  });

  it('finds a word in which two neighbours were swapped', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{4,12}$/), fc.nat(), (word, n) => {
        const i = n % (word.length - 1);
        const swapped = word.slice(0, i) + word[i + 1] + word[i] + word.slice(i + 2);
        return nearest(swapped, [word]) === word;
      }),
    );
  });
});

describe('the hint for an unknown word', () => {
  it('names the nearest, else what there is', () => {
    expect(didYouMean('methd', ['method', 'params'])).toBe('did you mean "method"?');
    expect(didYouMean('zzz', ['method', 'params'])).toBe('known here: method, params');
    expect(didYouMean('zzz', ['method'], 'its methods')).toBe('its methods: method');
    expect(didYouMean('zzz', [], 'its methods')).toBe('its methods: nothing');
  });

  it('lists a dozen and counts the rest', () => {
    const known = Array.from({ length: 12 }, (_, i) => `key-number-${i}`);
    expect(didYouMean('zzz', known)).not.toContain('more');
    expect(didYouMean('zzz', [...known, 'x', 'y'])).toBe(`known here: ${known.join(', ')}, and 2 more`);
  });
});
