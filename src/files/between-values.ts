import { isClosed, type Lexeme, lexemesOf } from './lexemes.ts';
import type { Span } from './source.ts';
import type { Words } from './syntax-words.ts';

/** `from` is the beginning of what is affected: what the parser finds wrong from there on follows from it. */
export type Trouble = Words & { readonly span: Span; readonly from: number };

/** A bracket that is open: what the values in it have come to since the last comma. */
type Open = {
  readonly at: Lexeme;
  colon: boolean;
  last: Lexeme | null;
};

/**
 * The first quote that is not closed, or place in brackets where a comma or colon is missing. A parser notices such a
 * thing late, where the text has stopped making sense. Only for a text that is known to be wrong: it may be mistaken
 * about one that is not.
 */
export function findTrouble(text: string): Trouble | null {
  const open: Open[] = [];
  let before: Lexeme | null = null;
  for (const lexeme of lexemesOf(text)) {
    // A reference that lacks its quotes, of which the parser says more.
    const bare = lexeme.source === '{' && before?.kind === 'text' && before.source.endsWith('$');
    if (bare) return null;
    const trouble = unclosed(lexeme, before, open.length > 0) ?? betweenValues(lexeme, open.at(-1), text);
    if (trouble !== null) return trouble;
    if (!take(lexeme, open)) return null;
    before = lexeme;
  }
  return null;
}

/** Either to the end of what could belong to it, or up to the quote that opens the next text. */
function unclosed(lexeme: Lexeme, before: Lexeme | null, inFlow: boolean): Trouble | null {
  if (lexeme.kind === 'quoted' && !isClosed(lexeme.source)) return quoteMissing(lexeme.source, lexeme);
  const glued = before?.kind === 'quoted' && (lexeme.kind === 'text' || lexeme.kind === 'quoted');
  if (!glued || !(inFlow || before.source.includes('\n'))) return null;
  const inside = before.source.startsWith('"') ? '\\"' : "''";
  return quoteMissing(before.source, before, `one inside the text is written ${inside}`);
}

export function quoteMissing(written: string, { start, end }: Span, hint: string | null = null): Trouble {
  const line = written.indexOf('\n');
  const span = { start, end: line === -1 ? end : start + line };
  return { message: `a closing ${written.slice(0, 1)} is missing`, hint, span, from: start };
}

function betweenValues(lexeme: Lexeme, inside: Open | undefined, text: string): Trouble | null {
  const last = inside?.last ?? null;
  if (inside === undefined || last === null) return null;
  if (lexeme.kind === 'colon' && inside.colon && last.kind === 'text') {
    const end = endOfFirst(last.source);
    return end === null ? null : signMissing(',', last.start + end, last.start);
  }
  if (!startsValue(lexeme)) return null;
  const keyAlone = inside.at.source === '{' && !inside.colon;
  const sign = keyAlone && !isKey(lexeme, text) ? ':' : ',';
  return signMissing(sign, last.end, last.start);
}

function startsValue({ kind }: Lexeme): boolean {
  return kind === 'open' || kind === 'text' || kind === 'quoted' || kind === 'alias';
}

function isKey({ kind, end }: Lexeme, text: string): boolean {
  return kind !== 'open' && /^\s*:/.test(text.slice(end, end + 100));
}

/** Words without quotes go on over spaces and lines: where the value ends that was meant, and the next key begins. */
function endOfFirst(source: string): number | null {
  const first =
    /^[\s\S]*\S(?=\s*\n[^\n]*$)/.exec(source) ??
    /^.*\S(?=\s+["'])/.exec(source) ??
    /^.*\S(?=\s)/.exec(source);
  return first?.[0].length ?? null;
}

export function signMissing(sign: string, at: number, from = at): Trouble {
  return { message: `a "${sign}" is missing`, hint: null, span: { start: at, end: at + 1 }, from };
}

/** False where brackets do not match: nothing can be said of what follows. */
function take(lexeme: Lexeme, open: Open[]): boolean {
  const { kind, source } = lexeme;
  if (kind === 'open') return open.push({ at: lexeme, colon: false, last: null }) > 0;
  const closed = kind === 'close' ? open.pop()?.at : undefined;
  if (kind === 'close' && closed?.source !== (source === '}' ? '{' : '[')) return false;
  const inside = open.at(-1);
  if (inside === undefined) return true;
  if (kind === 'comma' || kind === 'colon') {
    inside.last = null;
    inside.colon = kind === 'colon';
  } else if (closed !== undefined) inside.last = { ...lexeme, start: closed.start };
  else if (startsValue(lexeme)) inside.last = lexeme;
  return true;
}
