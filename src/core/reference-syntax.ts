import type { Json } from './json.ts';
import { MAX_JSON_DEPTH, MAX_NAME } from './limits.ts';
import { type Cursor, ESCAPE_HINT, isSpace, malformed, skipSpace, take } from './reference-cursor.ts';
import { takeContainer, takeString, takeWord } from './reference-literal.ts';

/**
 * The grammar of texts that hold references; what a reference means is decided in references.ts.
 *
 *     text       = anything, with  ${ expression }  in it, and  $${  for a literal  ${
 *     expression = path { "??" ( path | JSON value ) }
 *     path       = head { "." key | "[" index "]" | "[" JSON string "]" }
 *     head       = an id up to "." "[" " ??" "}", spaces inside allowed; any other id as a JSON string
 *
 * Read in one pass from left to right, each character a bounded number of times.
 */
export type Segment = string | number;

export type PathOperand = {
  readonly kind: 'path';
  readonly head: string;
  readonly path: readonly Segment[];
  /** Where it stands in the text, for messages and for tools that rewrite it. */
  readonly start: number;
  readonly end: number;
};
export type Operand = PathOperand | { readonly kind: 'literal'; readonly value: Json };
/** Literal text, or the operands of one `${…}` in the order in which they are tried. */
export type Part = string | readonly Operand[];

/** Chains are written by hand; one longer than this is an accident. */
const MAX_OPERANDS = 16;
const PATH_HINT = `write \${task-id.result.key}, \${task-id.result["odd key"][0]} or \${workflow.input.key}`;

export function parseTemplate(text: string, at = ''): readonly Part[] {
  const parts: Part[] = [];
  let literal = '';
  let from = 0;
  for (let open = text.indexOf('${'); open !== -1; open = text.indexOf('${', from)) {
    if (open > from && text[open - 1] === '$') {
      literal += `${text.slice(from, open - 1)}\${`;
      from = open + 2;
      continue;
    }
    literal += text.slice(from, open);
    if (literal !== '') parts.push(literal);
    literal = '';
    const cursor: Cursor = { text, at, i: open + 2 };
    parts.push(takeExpression(cursor, open));
    from = cursor.i;
  }
  literal += text.slice(from);
  if (literal !== '') parts.push(literal);
  return parts;
}

function takeExpression(cursor: Cursor, open: number): readonly Operand[] {
  const operands: Operand[] = [];
  do {
    skipSpace(cursor);
    const last = operands.at(-1);
    if (last?.kind === 'literal')
      malformed(cursor, cursor.i, 'nothing is tried after a JSON value', PATH_HINT);
    if (operands.length === MAX_OPERANDS) malformed(cursor, cursor.i, 'too many alternatives', PATH_HINT);
    operands.push(operands.length === 0 ? takeFirst(cursor, open) : takeDefault(cursor, open));
    skipSpace(cursor);
  } while (take(cursor, '??'));
  if (cursor.i >= cursor.text.length) unclosed(cursor, open);
  if (!take(cursor, '}')) malformed(cursor, cursor.i, 'a reference cannot go on like this', PATH_HINT);
  return operands;
}

function takeFirst(cursor: Cursor, open: number): Operand {
  const start = cursor.i;
  const operand = takePath(cursor, open);
  if (operand.kind === 'path') return operand;
  return malformed(cursor, start, 'text in quotes is no reference', PATH_HINT);
}

function takeDefault(cursor: Cursor, open: number): Operand {
  const c = cursor.text[cursor.i];
  if (c === '{' || c === '[') return { kind: 'literal', value: takeContainer(cursor) };
  if (c === "'") malformed(cursor, cursor.i, 'text stands in double quotes', 'write ?? "text"');
  const value = takeWord(cursor);
  if (value !== undefined) return { kind: 'literal', value };
  const operand = takePath(cursor, open);
  if (operand.kind === 'path' && operand.path.length === 0) {
    malformed(
      cursor,
      operand.start,
      'neither a reference nor a JSON value',
      'text stands in double quotes: ?? "text"',
    );
  }
  return operand;
}

/** A quoted head with nothing after it is not an id but text. */
function takePath(cursor: Cursor, open: number): Operand {
  const start = cursor.i;
  const quoted = cursor.text[start] === '"';
  const head = quoted ? takeString(cursor) : takeHead(cursor, open);
  const path = takeSegments(cursor);
  if (quoted && path.length === 0) return { kind: 'literal', value: head };
  return { kind: 'path', head, path, start, end: cursor.i };
}

/** The word is bounded before it is read to its end, so that a stray `${` does not drag the whole text along. */
function takeHead(cursor: Cursor, open: number): string {
  const { text } = cursor;
  const start = cursor.i;
  while (!endsHead(text, cursor.i)) {
    if (text.charCodeAt(cursor.i) < 0x20 || text[cursor.i] === '{' || text[cursor.i] === '"') {
      malformed(cursor, cursor.i, 'this cannot stand in a task id', ESCAPE_HINT);
    }
    if (cursor.i - start >= MAX_NAME) malformed(cursor, start, 'no task id is that long', ESCAPE_HINT);
    cursor.i++;
  }
  if (cursor.i >= text.length) unclosed(cursor, open);
  const head = text.slice(start, cursor.i).trimEnd();
  if (head === '') malformed(cursor, start, 'the name of a task is missing', PATH_HINT);
  return head;
}

function endsHead(text: string, i: number): boolean {
  const c = text[i];
  if (c === undefined || c === '.' || c === '[' || c === '}') return true;
  return c === '?' && text[i + 1] === '?' && isSpace(text.charCodeAt(i - 1));
}

function takeSegments(cursor: Cursor): readonly Segment[] {
  const path: Segment[] = [];
  for (;;) {
    const start = cursor.i;
    if (take(cursor, '.')) path.push(takeKey(cursor));
    else if (take(cursor, '[')) path.push(takeBracket(cursor));
    else return path;
    if (path.length > MAX_JSON_DEPTH) malformed(cursor, start, 'the path is too long', PATH_HINT);
  }
}

/** Letters of any alphabet, digits and what keys of real services hold; all else goes into `["…"]`. */
const plainKey = /[\p{L}\p{M}\p{N}_$@:/#~%-]+/uy;

function takeKey(cursor: Cursor): string {
  plainKey.lastIndex = cursor.i;
  const [key] = plainKey.exec(cursor.text) ?? [];
  if (key === undefined) return malformed(cursor, cursor.i, 'a key is missing after the dot', PATH_HINT);
  cursor.i += key.length;
  return key;
}

const index = /\d{1,15}/y;

function takeBracket(cursor: Cursor): Segment {
  const segment = cursor.text[cursor.i] === '"' ? takeString(cursor) : takeIndex(cursor);
  if (take(cursor, ']')) return segment;
  return malformed(cursor, cursor.i, 'the bracket is not closed here', PATH_HINT);
}

function takeIndex(cursor: Cursor): number {
  index.lastIndex = cursor.i;
  const [digits] = index.exec(cursor.text) ?? [];
  if (digits === undefined) {
    return malformed(
      cursor,
      cursor.i,
      'in brackets stands a whole number or a key in double quotes',
      PATH_HINT,
    );
  }
  cursor.i += digits.length;
  return Number(digits);
}

function unclosed(cursor: Cursor, open: number): never {
  return malformed(cursor, open, 'the reference is never closed with }', ESCAPE_HINT);
}
