import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patternTrouble, readGlob } from './glob.ts';

const paths = [
  'a.txt',
  'b.md',
  'ab.txt',
  '.hidden',
  'x/a.txt',
  'x/y/a.txt',
  'x/y/b.md',
  'x/.git/a.txt',
  'ü.txt',
  '😀.txt',
];

describe('a pattern', () => {
  it.each([
    ['*', ['a.txt', 'b.md', 'ab.txt', 'ü.txt', '😀.txt']],
    ['*.txt', ['a.txt', 'ab.txt', 'ü.txt', '😀.txt']],
    ['?.txt', ['a.txt', 'ü.txt', '😀.txt']],
    ['a*', ['a.txt', 'ab.txt']],
    ['a*b*', ['ab.txt']],
    ['.*', ['.hidden']],
    ['**', ['a.txt', 'b.md', 'ab.txt', 'x/a.txt', 'x/y/a.txt', 'x/y/b.md', 'ü.txt', '😀.txt']],
    ['**/*.md', ['b.md', 'x/y/b.md']],
    ['x/*', ['x/a.txt']],
    ['x/**', ['x/a.txt', 'x/y/a.txt', 'x/y/b.md']],
    ['**/y/*', ['x/y/a.txt', 'x/y/b.md']],
    ['x/**/a.txt', ['x/a.txt', 'x/y/a.txt']],
    ['😀.txt', ['😀.txt']],
    ['a', []],
    ['[ab].txt', []],
  ])('%s', (pattern, fitting) => {
    const glob = readGlob(pattern);
    expect(paths.filter((path) => glob.matches(path))).toEqual(fitting);
  });

  it('says whether folders below are of interest', () => {
    expect(['*.txt', '**', 'x/*', '**/*'].map((pattern) => readGlob(pattern).deep)).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  it.each(['../*', '*/../x', '/etc/*', 'C:/x', 'a\\b', './../x', '.', './', 'a//b', ''])(
    '%j is none',
    (pattern) => {
      expect(patternTrouble(pattern)).toMatch(/^must/);
    },
  );

  it('may begin where it stands', () => {
    expect(readGlob('./*.txt').matches('a.txt')).toBe(true);
    expect(readGlob('./*.txt').deep).toBe(false);
    expect(readGlob('./a/./*').matches('a/b')).toBe(true);
    expect(patternTrouble('./*.txt')).toBe(null);
  });

  it('takes no longer than its lengths', () => {
    const glob = readGlob(`${'*a'.repeat(200)}b`);
    expect(glob.matches('a'.repeat(2000))).toBe(false);
    expect(readGlob(Array(30).fill('**').join('/')).matches(Array(500).fill('a').join('/'))).toBe(true);
  });

  it('without signs is the name itself', () => {
    const name = fc.stringMatching(/^[a-z0-9_-][a-z0-9._-]{0,8}$/);
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(readGlob(a).matches(b)).toBe(a === b);
        expect(readGlob(`${a}*`).matches(a + b)).toBe(true);
      }),
    );
  });
});
