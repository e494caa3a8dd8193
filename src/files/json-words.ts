import { quoteMissing } from './between-values.ts';
import type { JsonLexeme } from './json-lexemes.ts';
import { isClosed } from './lexemes.ts';
import type { Span } from './source.ts';

/** What is wrong with a text that should be JSON. Values are not shown: they may be secret. */
export type JsonFlaw = {
  readonly message: string;
  readonly found: string | null;
  readonly expected: string | null;
  readonly hint: string | null;
  readonly span: Span;
};

export const OR_YAML = 'or name the file .yaml';

/** What is wrong with a word of JSON's own kinds by itself. */
export function flawInside({ kind, start, end }: JsonLexeme, text: string): JsonFlaw | null {
  const written = text.slice(start, end);
  if (kind === 'text') return flawOfText(written, start, text);
  return kind === 'number' ? flawOfNumber(written, { start, end }) : null;
}

function flawOfText(written: string, start: number, text: string): JsonFlaw | null {
  const end = start + written.length;
  const unclosed = !isClosed(written);
  // Closed by the quote that was meant to open the next text.
  const glued = /^[\w\\]/.test(text.slice(end, end + 1));
  if (unclosed || glued) {
    const { message, hint, span } = quoteMissing(written, { start, end }, glued ? INSIDE : null);
    return { message, hint, span, found: null, expected: '"' };
  }
  const tab = written.indexOf('\t');
  if (tab !== -1) return flaw('a text holds a tab', at(start + tab), { hint: 'write \\t' });
  const good = /^[^\\]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^\\]*)*/.exec(written)?.[0].length ?? 0;
  if (good === written.length) return null;
  return flaw('holds an escape that JSON does not have', at(start + good, 2), { hint: ESCAPES });
}

const INSIDE = 'one inside the text is written \\"';
const ESCAPES = 'write \\\\ for a backslash, \\u0041 for a character by its number';

function flawOfNumber(written: string, span: Span): JsonFlaw | null {
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(written)) return null;
  const found = numberTroubles.find(([pattern]) => pattern.test(written))?.[1] ?? 'letters in it';
  const hint = /[a-z]/i.test(written) ? 'put text in double quotes' : 'write it as 12, -0.5 or 1e6';
  return flaw('is no number of JSON', span, { found, expected: 'a number', hint });
}

const numberTroubles: readonly (readonly [RegExp, string])[] = [
  [/^\+/, 'a "+" before it'],
  [/^-?0[xob]/i, 'a number that is not decimal'],
  [/^-?0\d+(?:\.\d+)?$/, 'zeros before it'],
  [/^-?\.\d+$/, 'no digit before the "."'],
  [/^-?\d+\.$/, 'no digit after the "."'],
  [/^[-\d.]+$/, 'more than one "." or "-"'],
];

/** What stands there, for somebody who expected something else. */
export function foundWords({ kind, start, end }: JsonLexeme, text: string): string {
  if (kind === 'sign' || kind === 'other') return JSON.stringify(characterAt(text, start));
  if (kind === 'end') return 'the end of the file';
  const words = { text: 'text', number: 'a number', single: 'text in single quotes', comment: 'a comment' };
  return kind === 'word'
    ? 'a word without quotes'
    : kind === 'literal'
      ? text.slice(start, end)
      : words[kind];
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

/** What to write instead of a word or a text in single quotes. */
export function insteadOf({ kind, start, end }: JsonLexeme, text: string, isKey: boolean): string | null {
  const written = text.slice(start, end);
  if (kind === 'single') return `text stands in double quotes, ${OR_YAML}`;
  if (isKey && (kind === 'word' || kind === 'literal' || kind === 'number'))
    return `write ${JSON.stringify(written.slice(0, 80))}, ${OR_YAML}`;
  if (kind !== 'word') return null;
  if (/^[-+]?(?:nan|inf|infinity)$/i.test(written))
    return 'JSON has finite numbers only; put it in double quotes if it is text';
  const meant = meantLiterals[written.toLowerCase()];
  return meant === undefined ? `put text in double quotes, ${OR_YAML}` : `write ${meant}`;
}

const meantLiterals: Readonly<Record<string, string>> = {
  true: 'true',
  yes: 'true',
  false: 'false',
  no: 'false',
  null: 'null',
  none: 'null',
  nil: 'null',
  undefined: 'null',
};

type More = Partial<Pick<JsonFlaw, 'found' | 'expected' | 'hint'>>;

export function flaw(message: string, span: Span, more: More = {}): JsonFlaw {
  return { message, found: null, expected: null, hint: null, ...more, span };
}

export function at(start: number, length = 1): Span {
  return { start, end: start + length };
}
