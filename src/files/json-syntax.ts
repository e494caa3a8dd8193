import { signMissing } from './between-values.ts';
import { type JsonLexeme, jsonLexemes } from './json-lexemes.ts';
import { at, flaw, flawInside, foundWords, insteadOf, type JsonFlaw, OR_YAML } from './json-words.ts';
import { throwProblems } from './problems.ts';
import { problemIn, type Source } from './source.ts';

/** What may come next. `more` is a comma or the end of what is open, `first` a value or that end. */
type Next = 'value' | 'first' | 'key' | 'first key' | 'colon' | 'more';

type Reading = {
  readonly text: string;
  readonly open: JsonLexeme[];
  next: Next;
  /** The last word that was right. */
  last: JsonLexeme | null;
};

/** Whoever names a file so means JSON by RFC 8259, and other programs will read it as that. */
export function isJsonFile(file: string): boolean {
  return /\.json$/i.test(file);
}

/** Throws with the first thing in a text that is no JSON. Without recursion, however deep it nests. */
export function refuseForeignJson(source: Source): void {
  const found = findForeign(source.text);
  if (found === null) return;
  const { span, ...words } = found;
  throwProblems([problemIn(source, span, { path: '', ...words })]);
}

function findForeign(text: string): JsonFlaw | null {
  const reading: Reading = { text, open: [], next: 'value', last: null };
  for (const lexeme of jsonLexemes(text)) {
    const wrong = take(lexeme, reading);
    if (wrong !== null) return wrong;
    reading.last = lexeme;
  }
  return null;
}

function take(lexeme: JsonLexeme, reading: Reading): JsonFlaw | null {
  const { text, open, next } = reading;
  if (lexeme.kind === 'comment')
    return flaw('JSON has no comments', at(lexeme.start), { hint: `leave it out, ${OR_YAML}` });
  const sign = lexeme.kind === 'sign' ? text.charAt(lexeme.start) : '';
  if (closes(sign, reading)) {
    open.pop();
    reading.next = 'more';
    return null;
  }
  if (next === 'more') return takeBetween(lexeme, sign, reading);
  if (next === 'colon') {
    if (sign !== ':') return missing(':', reading);
    reading.next = 'value';
    return null;
  }
  const isKey = next === 'key' || next === 'first key';
  const opens = !isKey && (sign === '{' || sign === '[');
  const isScalar =
    lexeme.kind === 'text' || (!isKey && (lexeme.kind === 'number' || lexeme.kind === 'literal'));
  if (!opens && !isScalar) return notExpected(lexeme, sign, reading);
  if (opens) open.push(lexeme);
  reading.next = opens ? (sign === '{' ? 'first key' : 'first') : isKey ? 'colon' : 'more';
  return flawInside(lexeme, text);
}

/** Whether a sign ends what is open, where it may end. */
function closes(sign: string, { open, next, text }: Reading): boolean {
  const inside = open.at(-1);
  const mayEnd = next === 'more' || next === 'first' || next === 'first key';
  return inside !== undefined && mayEnd && sign === closingOf(inside, text);
}

function closingOf({ start }: JsonLexeme, text: string): string {
  return text[start] === '{' ? '}' : ']';
}

function takeBetween(lexeme: JsonLexeme, sign: string, reading: Reading): JsonFlaw | null {
  const { open, text } = reading;
  const inside = open.at(-1);
  if (inside === undefined) return lexeme.kind === 'end' ? null : notExpected(lexeme, sign, reading);
  if (sign === ',') {
    reading.next = closingOf(inside, text) === '}' ? 'key' : 'value';
    return null;
  }
  const startsValue = lexeme.kind !== 'end' && lexeme.kind !== 'other' && !/[}\]:]/.test(sign);
  return startsValue ? missing(',', reading) : notExpected(lexeme, sign, reading);
}

function missing(sign: string, { last }: Reading): JsonFlaw {
  const { message, span } = signMissing(sign, last?.end ?? 0);
  return flaw(message, span, { expected: sign });
}

function notExpected(lexeme: JsonLexeme, sign: string, reading: Reading): JsonFlaw {
  const { text, open, next, last } = reading;
  const inside = open.at(-1);
  const found = foundWords(lexeme, text);
  if (lexeme.kind === 'end' && inside !== undefined) {
    const expected = `the closing "${closingOf(inside, text)}"`;
    return flaw('is never closed', at(inside.start), { found, expected });
  }
  const afterComma = last !== null && text[last.start] === ',' && last.kind === 'sign';
  if (afterComma && inside !== undefined && sign === closingOf(inside, text))
    return flaw(`a "," stands before the closing "${sign}"`, at(last.start), {
      hint: `leave it out, ${OR_YAML}`,
    });
  const expected = expectedWords(next, inside === undefined ? null : closingOf(inside, text));
  const hint = insteadOf(lexeme, text, next === 'key' || next === 'first key');
  const { start, end } = lexeme;
  return flaw(`must be ${expected}`, { start, end: Math.max(end, start + 1) }, { found, expected, hint });
}

function expectedWords(next: Next, closing: string | null): string {
  if (next === 'more') return closing === null ? 'the end of the file' : `a "," or the closing "${closing}"`;
  return next === 'key' || next === 'first key' ? 'a key in double quotes' : 'a value';
}
