import { isObject, type Json, type JsonObject } from './json.ts';

/** How a sealed value stands in stored JSON: an object with this one key. Refused in what users and services send. */
export const SEALED = '$sealed';
export const MASK = '[secret]';

export function isSealed(value: unknown): value is { readonly [SEALED]: string } {
  return isObject(value) && Object.keys(value).length === 1 && typeof value[SEALED] === 'string';
}

/** Whether a JSON text can hold a sealed value at all; most do not, and are spared the walk. */
export function maySeal(text: string): boolean {
  return text.includes(`"${SEALED}"`);
}

/** The value with `change` applied at every place a pointer names; `*` stands for each item or member. */
export function mapPointers(value: Json, pointers: readonly string[], change: (found: Json) => Json): Json {
  return pointers.reduce(
    (whole, pointer) => mapPath(whole, pointer.split('/').slice(1).map(unescapeSegment), change),
    value,
  );
}

function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

function mapPath(value: Json, path: readonly string[], change: (found: Json) => Json): Json {
  const [head, ...rest] = path;
  if (head === undefined) return change(value);
  if (Array.isArray(value)) {
    return value.map((item: Json, index) =>
      head === '*' || head === String(index) ? mapPath(item, rest, change) : item,
    );
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    head === '*' || head === key ? mapPath(item, rest, change) : item,
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

/** The value with every sealed part replaced, wherever it is. */
export function mapSealed(value: Json, change: (sealed: string) => Json): Json {
  if (isSealed(value)) return change(value[SEALED]);
  if (Array.isArray(value)) return value.map((item: Json) => mapSealed(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapSealed(item, change)]),
  ) as JsonObject;
}

/** A text without the secrets that were open while it was written. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => (secret === '' ? shown : shown.replaceAll(secret, MASK)), text);
}
