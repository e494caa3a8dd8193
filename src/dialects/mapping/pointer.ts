import type { Json } from '../../core/json.ts';
import { followPath } from '../../core/reference-path.ts';
import { mistake } from './mistake.ts';

/** Reads one place of a value; undefined where there is nothing. */
export type Pointer = (value: Json) => Json | undefined;

/** A JSON pointer (RFC 6901), read once so that every answer can be asked quickly. `at` is where it is written. */
export function pointer(text: string, at: string): Pointer {
  const path = pathOf(text, at);
  if (path.length === 0) return (value) => value;
  return (value) => followPath(value, path).value;
}

export function pathOf(text: string, at: string): readonly string[] {
  if (text !== '' && !text.startsWith('/'))
    throw mistake(at, `${JSON.stringify(text)} is no JSON pointer`, 'write /key/inner, or "" for all of it');
  return text
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A copy of a value with one place replaced; containers on the way there are made where they are missing. */
export function withValue(value: Json, path: readonly string[], put: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return put;
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    return list.map((item, index) => (String(index) === key ? withValue(item, rest, put) : item));
  }
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const before = members.find(([name]) => name === key)?.[1] ?? {};
  return Object.fromEntries([
    ...members.filter(([name]) => name !== key),
    [key, withValue(before, rest, put)],
  ]);
}
