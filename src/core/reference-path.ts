import { GleitzeitError } from './errors.ts';
import { isObject, type Json, kindOf } from './json.ts';
import { type ReadStep, shorten, showReference, showSegment } from './reference-source.ts';
import type { Segment } from './reference-syntax.ts';
import { nearest } from './suggest.ts';

const KEYS_SHOWN = 10;

/** What a path leads to, or where it ends. */
export type Walked = { readonly value: Json } | Gap;

/** Without `end` there was nothing to start from. */
export type Gap = {
  readonly value: undefined;
  readonly end?: { readonly key: Segment; readonly last: Json; readonly steps: number };
};

export function followPath(start: Json, path: readonly Segment[]): Walked {
  let last = start;
  for (const [steps, key] of path.entries()) {
    const value = step(last, key);
    if (value === undefined) return { value, end: { key, last, steps } };
    last = value;
  }
  return { value: last };
}

/** Own properties only; of a list its items, never its length or methods. */
function step(value: Json, segment: Segment): Json | undefined {
  const key = String(segment);
  if (Array.isArray(value)) return isIndex(key) && Object.hasOwn(value, key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isIndex(key: string): boolean {
  return /^(?:0|[1-9]\d{0,14})$/.test(key);
}

/** GLZ2006: the path, how far it led, what was there instead, and the key that was probably meant. */
export function missing({ source, path }: ReadStep, { end }: Gap, at: string): GleitzeitError {
  const shown = showReference(source, path);
  if (end === undefined) return failed(at, `${shown}: the task has no result`, DEFAULT_HINT);
  const reached = showReference(source, path.slice(0, end.steps));
  const reason = `${shown}: there is no ${showSegment(end.key)} in ${reached}, which is ${describe(end.last)}`;
  return failed(at, reason, hintFor(String(end.key), end.last));
}

function hintFor(key: string, last: Json): string {
  const close = isObject(last) ? nearest(key, Object.keys(last)) : undefined;
  return close === undefined ? DEFAULT_HINT : `did you mean "${shorten(close)}"?`;
}

const DEFAULT_HINT = `where it may be missing, give a default: \${… ?? null}`;

/** Kind and keys, never values: the message goes into events and logs. */
function describe(value: Json): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (!isObject(value)) return value === null ? 'null' : `a ${kindOf(value)}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return 'an empty object';
  const more = keys.length > KEYS_SHOWN ? `, and ${keys.length - KEYS_SHOWN} more` : '';
  return `an object with ${keys
    .slice(0, KEYS_SHOWN)
    .map((key) => JSON.stringify(shorten(key)))
    .join(', ')}${more}`;
}

function failed(at: string, reason: string, hint: string): GleitzeitError {
  return new GleitzeitError('GLZ2006', at === '' ? reason : `${at}: ${reason}`, { field: at, reason, hint });
}
