import { isObject, type Json } from '../core/json.ts';
import type { Path } from '../files/path.ts';

export type Leaf = { readonly path: Path; readonly value: Json };

/** Every value that holds no others; an empty list or mapping is one too. */
export function leavesOf(value: Json, path: Path = []): Leaf[] {
  const entries: [string | number, Json][] = Array.isArray(value)
    ? value.map((item: Json, index) => [index, item])
    : isObject(value)
      ? Object.entries(value)
      : [];
  if (entries.length === 0) return [{ path, value }];
  return entries.flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}
