import { describe, expect, it } from 'vitest';
import { importsOf } from '../../scripts/source/imports.ts';
import { tokenize } from '../../scripts/source/tokens.ts';

const kinds = (text: string): string[] => tokenize(text).map((token) => `${token.kind} ${token.text}`);

describe('tokenize', () => {
  it('tells a regular expression from a division', () => {
    expect(kinds('a / b / c')).not.toContainEqual(expect.stringMatching(/^regex/));
    expect(kinds('x = /[/]b/g')).toContain('regex /[/]b/g');
    expect(kinds('return /a/')).toContain('regex /a/');
    expect(kinds('f(a) / 2 / d')).not.toContainEqual(expect.stringMatching(/^regex/));
  });

  it('takes a template as one token, however deep', () => {
    const text = '`a ${b ? `c ${"}"} d` : { e: 1 }.e} \\` f`';
    expect(kinds(`${text};`)).toEqual([`template ${text}`, 'punctuation ;']);
  });

  it('keeps quotes inside comments and comments inside strings apart', () => {
    expect(kinds("// it's\n'// no'")).toEqual(["comment // it's", "string '// no'"]);
    expect(kinds("/* ' */ 'a\\'b'")).toEqual(["comment /* ' */", "string 'a\\'b'"]);
  });

  it('reads numbers, and three dots as none', () => {
    expect(kinds('1_000 .5 0xff 1e3 2n ...a')).toEqual([
      ...['number 1_000', 'number .5', 'number 0xff', 'number 1e3', 'number 2n', 'punctuation ...', 'word a'],
    ]);
  });

  it('counts lines', () => {
    expect(tokenize('a\n`\n`\n/*\n*/ b').map((token) => token.line)).toEqual([1, 2, 4, 5]);
  });
});

describe('importsOf', () => {
  it.each([
    ["import a, { b } from './a.ts';", './a.ts', false],
    ["import * as a from 'pg';", 'pg', false],
    ["import './a.ts';", './a.ts', false],
    ["import type { A } from './a.ts';", './a.ts', true],
    ["import { type A } from './a.ts';", './a.ts', false],
    ["import type from './a.ts';", './a.ts', false],
    ["export * from './a.ts';", './a.ts', false],
    ["export type { A } from './a.ts';", './a.ts', true],
    ["const a = await import('./a.ts');", './a.ts', false],
    ["type A = import('./a.ts').A;", './a.ts', false],
  ])('%s', (text, specifier, typeOnly) => {
    expect(importsOf(text)).toEqual([{ specifier, line: 1, typeOnly }]);
  });

  it.each([
    'export const from = 1;',
    'import.meta.url;',
    "export { a };\nconst b = 'x';",
    '\'import a from "b"\'',
  ])('none in %s', (text) => expect(importsOf(text)).toEqual([]));
});
