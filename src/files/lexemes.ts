import { CST, Lexer } from 'yaml';

export type LexemeKind =
  | 'open'
  | 'close'
  | 'comma'
  | 'colon'
  | 'text'
  | 'quoted'
  | 'alias'
  | 'between'
  | 'other';

/** A word or sign of a text, and where it stands. */
export type Lexeme = {
  readonly kind: LexemeKind;
  readonly source: string;
  readonly start: number;
  readonly end: number;
};

/** What stands for the beginning of a word in the output of the lexer, and takes no room in the text. */
const signs = new Set(['doc-mode', 'flow-error-end', 'scalar']);

const kinds: Readonly<Record<string, LexemeKind>> = {
  'flow-map-start': 'open',
  'flow-seq-start': 'open',
  'flow-map-end': 'close',
  'flow-seq-end': 'close',
  'flow-error-end': 'close',
  comma: 'comma',
  'map-value-ind': 'colon',
  'double-quoted-scalar': 'quoted',
  'single-quoted-scalar': 'quoted',
  alias: 'alias',
  space: 'between',
  newline: 'between',
  comment: 'between',
};

/** The words of a text as the parser sees them, whether or not they go together. */
export function* lexemesOf(text: string): Generator<Lexeme> {
  let start = 0;
  let inWord: boolean = false;
  for (const source of new Lexer().lex(text)) {
    const type: string | null = inWord ? null : CST.tokenType(source);
    const length = type !== null && signs.has(type) ? 0 : source.length;
    const kind = inWord ? 'text' : (kinds[type ?? ''] ?? 'other');
    inWord = type === 'scalar';
    if (!inWord) yield { kind, source, start, end: start + length };
    start += length;
  }
}

/** Whether a text in quotes ends with one that is not part of it: the parser only looks whether there is one. */
export function isClosed(quoted: string): boolean {
  const quote = quoted.slice(0, 1);
  const end = quoted.length - 1;
  if (end < 1 || !quoted.endsWith(quote)) return false;
  if (quote === "'") return countBack(quoted, quote, end) % 2 === 1;
  return countBack(quoted, '\\', end - 1) % 2 === 0;
}

/** How often a character stands before and at a place, without the first of the text. A pattern would try each place. */
function countBack(text: string, character: string, from: number): number {
  let count = 0;
  while (from - count > 0 && text[from - count] === character) count++;
  return count;
}
