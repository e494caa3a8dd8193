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
  const inside = quoted.slice(1);
  if (quoted.startsWith("'")) return (/'*$/.exec(inside)?.[0].length ?? 0) % 2 === 1;
  const end = /(\\*)"$/.exec(inside)?.[1];
  return end !== undefined && end.length % 2 === 0;
}
