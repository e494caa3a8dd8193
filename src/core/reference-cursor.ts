import { GleitzeitError } from './errors.ts';

/** Where a reader stands in a text that holds references. */
export type Cursor = {
  readonly text: string;
  /** JSON pointer of the text itself. */
  readonly at: string;
  i: number;
};

const MAX_QUOTED = 40;

export const ESCAPE_HINT = 'write $${ where you mean a literal ${';

/** GLZ1006 with the position (from 1), what was found there, and what to write instead. */
export function malformed(cursor: Cursor, position: number, reason: string, hint: string): never {
  const found = quoteAt(cursor.text, position);
  const message = `${cursor.at || 'reference'}: ${reason}, at character ${position + 1} (found ${found})`;
  throw new GleitzeitError('GLZ1006', message, {
    field: cursor.at,
    reason: `${reason}, at character ${position + 1} (found ${found})`,
    hint,
    details: { position: position + 1, found },
  });
}

function quoteAt(text: string, position: number): string {
  if (position >= text.length) return 'the end of the text';
  const rest = text.slice(position, position + MAX_QUOTED);
  return JSON.stringify(position + MAX_QUOTED < text.length ? `${rest}…` : rest);
}

export function skipSpace(cursor: Cursor): void {
  while (isSpace(cursor.text.charCodeAt(cursor.i))) cursor.i++;
}

export function isSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}

export function take(cursor: Cursor, token: string): boolean {
  if (!cursor.text.startsWith(token, cursor.i)) return false;
  cursor.i += token.length;
  return true;
}
