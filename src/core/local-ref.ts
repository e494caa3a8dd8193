import { isObject, type JsonObject, own } from './json.ts';
import { isSchema, type JsonSchema } from './json-schema.ts';

/** What `#`, `#/$defs/x` and the like point to in a schema; undefined for anything that is not a pointer into it. */
export function followRef(root: JsonSchema, ref: unknown): JsonSchema | undefined {
  const path = refPath(ref);
  if (path === undefined) return undefined;
  let here: unknown = root;
  for (const key of path) here = step(here, key);
  return isSchema(here) ? here : undefined;
}

/** The keys of a local reference. */
export function refPath(ref: unknown): readonly string[] | undefined {
  if (ref === '#') return [];
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  return ref.slice(2).split('/').map(decodeKey);
}

function step(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) ? own(value, key) : undefined;
}

function decodeKey(key: string): string {
  return safelyDecoded(key).replaceAll('~1', '/').replaceAll('~0', '~');
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A pointer as the fragment of a reference. */
export function fragment(path: readonly string[]): string {
  return path
    .map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}

/** The schema a schema refers to, where it refers to one inside the same root. */
export function refTarget(root: JsonSchema, schema: JsonObject): JsonSchema | undefined {
  return followRef(root, own(schema, '$ref'));
}
