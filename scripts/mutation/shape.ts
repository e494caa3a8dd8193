import type { Token } from '../source/tokens.ts';

type Tokens = readonly Token[];

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const opening: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Words after which a value begins, so that none has ended. */
const operatorWords = new Set([
  ...[
    'return',
    'typeof',
    'case',
    'in',
    'of',
    'delete',
    'void',
    'throw',
    'new',
    'else',
    'await',
    'yield',
    'do',
  ],
  ...['import', 'export', 'default', 'function', 'extends', 'instanceof', 'const', 'let', 'static'],
]);
/** Words that begin something other than an expression standing alone. */
const statementWords = new Set([
  ...[
    'return',
    'throw',
    'if',
    'else',
    'for',
    'while',
    'do',
    'switch',
    'case',
    'default',
    'try',
    'catch',
    'finally',
  ],
  ...[
    'const',
    'let',
    'function',
    'class',
    'import',
    'export',
    'break',
    'continue',
    'async',
    'static',
    'get',
    'set',
  ],
]);

/** Whether a value may end with this token, so that an operator after it stands between two. */
export function endsValue(token: Token | undefined): boolean {
  if (token === undefined || token.kind === 'regex') return token !== undefined;
  if (token.kind === 'word') return !operatorWords.has(token.text);
  return token.kind === 'punctuation' ? [')', ']', '}'].includes(token.text) : true;
}

/** A name before a colon in an object; in `a ? b : c` the one before the colon is a value. */
export function isKey(tokens: Tokens, index: number): boolean {
  const before = tokens[index - 1]?.text;
  return tokens[index + 1]?.text === ':' && (before === '{' || before === ',');
}

/** The index of the bracket that closes the one at `index`; -1 when there is none. */
export function matching(tokens: Tokens, index: number): number {
  const close = closing[tokens[index]?.text ?? ''];
  return balance(tokens, index, 1, tokens[index]?.text, close);
}

function balance(
  tokens: Tokens,
  from: number,
  step: 1 | -1,
  up: string | undefined,
  down: string | undefined,
): number {
  let depth = 0;
  for (let at = from; at >= 0 && at < tokens.length; at += step) {
    const token = tokens[at];
    if (token?.kind !== 'punctuation') continue;
    if (token.text === up) depth += 1;
    if (token.text === down) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** Where `a.b(c)[d]` before the operator at `index` begins; undefined when something else stands there. */
export function chainBefore(tokens: Tokens, index: number): number | undefined {
  let at = index - 1;
  for (;;) {
    const token = tokens[at];
    if (token === undefined) return undefined;
    if (token.text === ')' || token.text === ']') {
      at = balance(tokens, at, -1, token.text, opening[token.text]) - 1;
      if (!endsValue(tokens[at])) return tokens[at + 1]?.start;
      continue;
    }
    if (token.kind !== 'word') return undefined;
    if (!['.', '?.'].includes(tokens[at - 1]?.text ?? '')) return token.start;
    at -= 2;
    if (tokens[at]?.text === '?.') at -= 1;
  }
}

/** An expression that stands alone: a call or an assignment, at the beginning of a statement. */
export function startsStatement(tokens: Tokens, index: number): boolean {
  const token = tokens[index];
  const before = tokens[index - 1]?.text ?? ';';
  // A private field that is gone is a syntax error wherever it is used, found by loading the file.
  if (token?.kind !== 'word' || token.text.startsWith('#') || statementWords.has(token.text)) return false;
  return [';', '{', '}', 'else'].includes(before) && !['=>', ':'].includes(tokens[index + 1]?.text ?? '');
}

/** The semicolon that ends the statement beginning at `index`; -1 when a block or bracket ends first. */
export function statementEnd(tokens: Tokens, index: number): number {
  for (let at = index; at < tokens.length; at += 1) {
    const text = tokens[at]?.text ?? '';
    if (text === ';') return at;
    if (Object.hasOwn(closing, text) && tokens[at]?.kind === 'punctuation') at = matching(tokens, at);
    else if (Object.hasOwn(opening, text)) return -1;
    if (at < 0) return -1;
  }
  return -1;
}
