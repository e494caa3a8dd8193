import type { ErrorCode } from './error-codes.ts';
import { GleitzeitError } from './errors.ts';
import { type Json, kindOf } from './json.ts';
import { child } from './json-pointer.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD, TOO_LARGE, TOO_LARGE_HINT } from './limits.ts';

type Walk = {
  readonly code: ErrorCode;
  readonly at: string;
  readonly path: (string | number)[];
  size: number;
};

/**
 * What a caller handed in, as JSON. Keys that are undefined count as absent, as they do in JSON text; everything else
 * JSON cannot say is an error with the given code. Returns the value itself where nothing had to be left out.
 *
 * The size is a lower bound of the JSON text's, good enough to stop what would never fit before it is serialised.
 */
export function toJson(value: unknown, code: ErrorCode, at: string): Json {
  return read(value, { code, at, path: [], size: 0 });
}

function read(value: unknown, walk: Walk): Json {
  if (typeof value === 'string') return grow(walk, value.length + 2, value);
  if (value === null || typeof value === 'boolean') return grow(walk, 4, value);
  if (typeof value === 'number') return grow(walk, 1, finite(value, walk));
  if (typeof value !== 'object') return refuse(walk, `${article(kindOf(value))} cannot be written as JSON`);
  if (walk.path.length >= MAX_JSON_DEPTH) return refuse(walk, tooDeep);
  return Array.isArray(value) ? readList(value, walk) : readObject(value, walk);
}

const tooDeep = `nested deeper than ${MAX_JSON_DEPTH} levels, or part of itself`;

function readList(list: readonly unknown[], walk: Walk): Json {
  grow(walk, 2, null);
  let copy: Json[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    walk.path.push(i);
    const clean = read(item, walk);
    walk.path.pop();
    if (clean !== item) copy ??= list.slice(0, i) as Json[];
    copy?.push(clean);
  }
  return copy ?? (list as readonly Json[]);
}

function readObject(object: object, walk: Walk): Json {
  if (!isPlain(object)) return refuse(walk, `an instance of ${nameOf(object)} cannot be written as JSON`);
  grow(walk, 2, null);
  const entries = object as Readonly<Record<string, unknown>>;
  let changed: Map<string, Json | undefined> | undefined;
  for (const key of Object.keys(entries)) {
    const value = entries[key];
    walk.path.push(key);
    if (key === '__proto__') return refuse(walk, '"__proto__" cannot be a key');
    const clean = value === undefined ? undefined : read(value, walk);
    walk.path.pop();
    grow(walk, key.length + 4, null);
    if (clean === undefined || clean !== value) changed = (changed ?? new Map()).set(key, clean);
  }
  return changed === undefined ? (entries as Json) : rewrite(entries as Record<string, Json>, changed);
}

function rewrite(
  entries: Readonly<Record<string, Json>>,
  changed: ReadonlyMap<string, Json | undefined>,
): Json {
  const copy: Record<string, Json> = {};
  for (const [key, value] of Object.entries(entries)) {
    const clean = changed.has(key) ? changed.get(key) : value;
    if (clean !== undefined) copy[key] = clean;
  }
  return copy;
}

/** Plain in any realm: no prototype, or one that has none itself. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function nameOf(object: object): string {
  const maker: unknown = Reflect.get(object, 'constructor');
  return typeof maker === 'function' && maker.name !== '' ? maker.name : 'a class';
}

function finite(value: number, walk: Walk): number {
  return Number.isFinite(value) ? value : refuse(walk, `${value} cannot be written as JSON`);
}

function grow<Value extends Json>(walk: Walk, by: number, value: Value): Value {
  walk.size += by;
  if (walk.size <= MAX_PAYLOAD) return value;
  throw new GleitzeitError('GLZ1007', `${walk.at || 'the value'} ${TOO_LARGE}`, {
    field: walk.at,
    reason: TOO_LARGE,
    hint: TOO_LARGE_HINT,
  });
}

function refuse(walk: Walk, reason: string): never {
  const field = walk.path.length > MAX_SHOWN ? walk.at : walk.path.reduce<string>(child, walk.at);
  throw new GleitzeitError(walk.code, `${field || 'the value'}: ${reason}`, { field, reason });
}

/** A pointer into a cycle would be long and would say nothing. */
const MAX_SHOWN = 32;

function article(kind: string): string {
  return kind === 'undefined' ? 'undefined' : `a ${kind}`;
}
