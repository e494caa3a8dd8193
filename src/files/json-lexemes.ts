/** What can stand in a text of JSON, and what people write there instead. */
export type JsonKind =
  | 'sign'
  | 'text'
  | 'number'
  | 'literal'
  | 'end'
  | 'comment'
  | 'single'
  | 'word'
  | 'other';

export type JsonLexeme = { readonly kind: JsonKind; readonly start: number; readonly end: number };

/** Tried in this order where a word begins. */
const patterns: readonly (readonly [JsonKind, RegExp])[] = [
  ['sign', /[{}[\],:]/y],
  // To its end, or as far as it can be one: what is wrong inside is looked at apart.
  ['text', /"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"?/y],
  ['comment', /#|\/[/*]/y],
  ['single', /'[^'\\\n]*(?:\\[^\n][^'\\\n]*)*'?/y],
  // Whatever begins like one, with all that people would take for a part of it.
  ['number', /[-+]?(?:\d|\.\d)(?:[eE][-+]|[\w.])*/y],
  ['word', /[-+]?[\p{L}_$][\p{L}\p{N}_$.-]*/uy],
];

const blank = /[ \t\r\n]*/y;

/** The words of a text that should be JSON, up to its end, which is one too. */
export function* jsonLexemes(text: string): Generator<JsonLexeme> {
  let at = 0;
  while (true) {
    at += matchAt(blank, text, at).length;
    if (at >= text.length) break;
    const lexeme = lexemeAt(text, at);
    yield lexeme;
    at = lexeme.end;
  }
  yield { kind: 'end', start: at, end: at };
}

function lexemeAt(text: string, start: number): JsonLexeme {
  for (const [kind, pattern] of patterns) {
    const written = matchAt(pattern, text, start);
    if (written === '') continue;
    const literal = kind === 'word' && /^(?:true|false|null)$/.test(written);
    return { kind: literal ? 'literal' : kind, start, end: start + written.length };
  }
  return { kind: 'other', start, end: start + 1 };
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
