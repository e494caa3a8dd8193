import { parseDuration } from './duration.ts';
import type { ErrorCode } from './error-codes.ts';
import { GleitzeitError } from './errors.ts';
import { isObject, kindOf } from './json.ts';
import { child } from './json-pointer.ts';
import { MAX_NAME } from './limits.ts';
import type { Problems } from './problems.ts';
import { didYouMean } from './suggest.ts';

/**
 * An object somebody wrote, read key by key. What is wrong with a key is noted and the fallback used, so that reading
 * goes on and every problem is heard of at once.
 */
export type Fields = {
  readonly object: Readonly<Record<string, unknown>>;
  /** JSON pointer of the object. */
  readonly at: string;
  readonly code: ErrorCode;
  readonly problems: Problems;
};

export function note(fields: Fields, key: string, reason: string, hint?: string): void {
  const problem = { field: child(fields.at, key), reason };
  fields.problems.add(fields.code, hint === undefined ? problem : { ...problem, hint });
}

/** The object's fields with unknown keys noted, or undefined where it is no object at all. */
export function openFields(
  value: unknown,
  known: readonly string[],
  rest: Omit<Fields, 'object'>,
): Fields | undefined {
  if (!isObject(value)) {
    rest.problems.add(rest.code, { field: rest.at, reason: `must be an object, not ${kindOf(value)}` });
    return undefined;
  }
  const fields: Fields = { ...rest, object: value };
  for (const key of Object.keys(value)) {
    if (known.includes(key) || rest.problems.full) continue;
    note(
      fields,
      key,
      `unknown key ${JSON.stringify(key.slice(0, MAX_NAME))}`,
      didYouMean(key, known, 'known keys'),
    );
  }
  return fields;
}

/** What stands under a key; undefined also where it is only inherited. */
export function given(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields.object, key) ? fields.object[key] : undefined;
}

export function readName<Fallback extends string | null>(
  fields: Fields,
  key: string,
  fallback: Fallback,
): string | Fallback {
  const value = given(fields, key);
  if (value === undefined) return fallback;
  const trouble = nameTrouble(value);
  if (trouble === undefined) return value as string;
  note(fields, key, trouble);
  return fallback;
}

export function readRequiredName(fields: Fields, key: string): string {
  if (given(fields, key) === undefined) note(fields, key, 'is missing');
  return readName(fields, key, '');
}

export function nameTrouble(value: unknown): string | undefined {
  if (typeof value !== 'string') return `must be text, not ${kindOf(value)}`;
  if (value.trim() === '') return 'must not be empty';
  if (value.length > MAX_NAME) return `must not be longer than ${MAX_NAME} characters`;
  if (value !== value.trim()) return 'must not begin or end with a space';
  if (!value.isWellFormed()) return 'must not hold half a character (a lone surrogate)';
  return hasControl(value) ? 'must not hold control characters' : undefined;
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** One of a few words. */
export function readWord<Word extends string>(
  fields: Fields,
  key: string,
  words: readonly Word[],
  fallback: Word,
): Word {
  const value = given(fields, key);
  if (value === undefined) return fallback;
  const word = words.find((candidate) => candidate === value);
  if (word !== undefined) return word;
  const hint = typeof value === 'string' ? didYouMean(value, words, 'one of') : `one of: ${words.join(', ')}`;
  note(fields, key, `must be one of ${words.join(', ')}, not ${show(value)}`, hint);
  return fallback;
}

export type Range = { readonly min: number; readonly max: number; readonly integer?: boolean };

export function readNumber(fields: Fields, key: string, range: Range, fallback: number): number {
  const value = given(fields, key);
  if (value === undefined) return fallback;
  const fits = typeof value === 'number' && value >= range.min && value <= range.max;
  if (fits && (range.integer !== true || Number.isInteger(value))) return value;
  const kind = range.integer === true ? 'a whole number' : 'a number';
  note(fields, key, `must be ${kind} from ${range.min} to ${range.max}, not ${show(value)}`);
  return fallback;
}

/** Seconds, at least `min`. */
export function readDuration<Fallback extends number | null>(
  fields: Fields,
  key: string,
  min: number,
  fallback: Fallback,
): number | Fallback {
  const value = given(fields, key);
  if (value === undefined || (value === null && fallback === null)) return fallback;
  try {
    const seconds = parseDuration(value);
    if (seconds >= min) return seconds;
    note(fields, key, `must be at least ${min} seconds`);
  } catch (thrown) {
    const { message, details } = GleitzeitError.from(thrown);
    note(fields, key, message, details.hint);
  }
  return fallback;
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MAX_NAME));
  return typeof value === 'number' ? String(value) : kindOf(value);
}
