import type { TSchema } from 'typebox';
import { isObject, type Json, type JsonObject } from '../core/json.ts';

/** Shapes by their titles, as they were met. */
export type Components = Map<string, JsonObject>;

const prefix = '#/components/schemas/';

/** The schema as plain JSON, in which every shape that has a title is named instead of written out. */
export function hoist(schema: TSchema, found: Components): JsonObject {
  const plain = JSON.parse(JSON.stringify(schema)) as JsonObject;
  return replace(plain, found) as JsonObject;
}

export function titleOf(schema: JsonObject): string | null {
  const ref = schema['$ref'];
  return typeof ref === 'string' && ref.startsWith(prefix) ? ref.slice(prefix.length) : null;
}

function replace(value: Json, found: Components): Json {
  if (Array.isArray(value)) return value.map((item: Json) => replace(item, found));
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item, found)]));
  const title = inner['title'];
  if (typeof title !== 'string') return inner;
  const before = found.get(title);
  if (before !== undefined && JSON.stringify(before) !== JSON.stringify(inner))
    throw new Error(`two different shapes have the title ${title}`);
  found.set(title, inner);
  return { $ref: `${prefix}${title}` };
}
