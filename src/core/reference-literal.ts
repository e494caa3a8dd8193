import { type Json, jsonDepth } from './json.ts';
import { MAX_JSON_DEPTH } from './limits.ts';
import { type Cursor, isSpace, malformed } from './reference-cursor.ts';

const LITERAL_HINT =
  'a default is a JSON value (text in double quotes, number, true, false, null, object, array) or another reference';

const word = /true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * A number, true, false or null, where that is all there is: `1.result` and `true-story.result` are references to
 * tasks with such ids, and leave the cursor where it was.
 */
export function takeWord(cursor: Cursor): Json | undefined {
  word.lastIndex = cursor.i;
  const [found] = word.exec(cursor.text) ?? [];
  if (found === undefined || !endsWord(cursor.text, cursor.i + found.length)) return undefined;
  const start = cursor.i;
  cursor.i += found.length;
  return parse(cursor, start);
}

function endsWord(text: string, index: number): boolean {
  return (
    index >= text.length || text[index] === '}' || text[index] === '?' || isSpace(text.charCodeAt(index))
  );
}

/** A JSON string, from its opening quote. */
export function takeString(cursor: Cursor): string {
  const start = cursor.i;
  cursor.i = endOfString(cursor, start);
  return String(parse(cursor, start));
}

/** A JSON object or array, from its opening bracket. */
export function takeContainer(cursor: Cursor): Json {
  const start = cursor.i;
  let depth = 0;
  do {
    const c = cursor.text[cursor.i];
    if (c === undefined) malformed(cursor, start, 'the default is never closed', LITERAL_HINT);
    if (c === '{' || c === '[') depth++;
    if (c === '}' || c === ']') depth--;
    cursor.i = c === '"' ? endOfString(cursor, cursor.i) : cursor.i + 1;
  } while (depth > 0);
  if (jsonDepth(cursor.text.slice(start, cursor.i), MAX_JSON_DEPTH) > MAX_JSON_DEPTH) {
    malformed(cursor, start, `the default is nested deeper than ${MAX_JSON_DEPTH} levels`, LITERAL_HINT);
  }
  return parse(cursor, start);
}

function endOfString(cursor: Cursor, start: number): number {
  const { text } = cursor;
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  return malformed(cursor, start, 'the quoted text is never closed', LITERAL_HINT);
}

function parse(cursor: Cursor, start: number): Json {
  try {
    return JSON.parse(cursor.text.slice(start, cursor.i)) as Json;
  } catch {
    return malformed(cursor, start, 'this is not valid JSON', LITERAL_HINT);
  }
}
