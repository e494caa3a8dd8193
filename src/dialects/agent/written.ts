import type { Json } from '../../core/json.ts';
import { shapeOf } from '../../core/shape.ts';

/** What of a result is worth a line of the log. */
const SHOWN = 16 * 1024;
/** Writers of logs cut texts that are longer; in pieces of this size all of it is written. */
const PIECE = 4000;
const PIECES = 60;

/** A value, or the beginning of its text where there is much of it. */
export function beginningOf(value: Json): Json {
  const text = JSON.stringify(value);
  return text.length <= SHOWN ? value : `${text.slice(0, SHOWN)} … (${text.length} characters)`;
}

/**
 * All of what was said, as text, which is what helps where it could not be understood. Long ones come as a list of pieces. What must not be
 * shown is taken out before that: the pieces of a secret would not be recognised.
 */
export function wholeOf(said: unknown, hide: (text: string) => string): string | readonly string[] {
  const text = hide(textOf(said));
  if (text.length <= PIECE) return text;
  const pieces = Array.from({ length: Math.min(PIECES, Math.ceil(text.length / PIECE)) }, (_, index) =>
    text.slice(index * PIECE, (index + 1) * PIECE),
  );
  const rest = text.length - PIECE * PIECES;
  return rest > 0 ? [...pieces, `… ${rest} characters more`] : pieces;
}

/** What was said as text, whether it came as text or was read already. */
export function textOf(said: unknown): string {
  return typeof said === 'string' ? said : (JSON.stringify(said) ?? '');
}

/** An answer of A2A down to its parts. */
const LEVELS = 8;

/** The structure of what was said, as text since writers of logs look less deep; of what is no JSON only how long it is. */
export function structureOf(said: unknown): string {
  return JSON.stringify(shapeOf(typeof said === 'string' ? readable(said) : said, LEVELS));
}

function readable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
