import { isObject, type Json, type JsonObject, own } from './json.ts';

/** What `${word.key}` stands for, key by key. */
export type NamedValues = { readonly word: 'config' | 'args'; readonly values: JsonObject };

/** A place that names a key, with the way to it. */
export type Named = {
  readonly key: string;
  readonly path: readonly (string | number)[];
  readonly words: string;
};

const KEY = '([A-Za-z_][A-Za-z0-9_]*)';
const whole = { config: RegExp(`^\\$\\{config\\.${KEY}\\}$`), args: RegExp(`^\\$\\{args\\.${KEY}\\}$`) };
const inside = {
  config: RegExp(`\\$?\\$\\{config\\.${KEY}\\}`, 'g'),
  args: RegExp(`\\$?\\$\\{args\\.${KEY}\\}`, 'g'),
};

/**
 * A template with `${word.key}` filled in. A text that is one whole reference takes the value as it is; a member that
 * names a key which was not given is left out, and so is an object that was emptied by that.
 */
export function fillNamed(template: JsonObject, named: NamedValues): JsonObject {
  return fillObject(template, named) ?? {};
}

/** Every key that is named inside a value. `$${` is text. */
export function namedKeys(
  value: Json,
  word: NamedValues['word'],
  path: readonly (string | number)[] = [],
): Named[] {
  if (typeof value === 'string')
    return [...value.matchAll(inside[word])].flatMap(([words, key]) =>
      words.startsWith('$$') ? [] : [{ key: String(key), path, words }],
    );
  if (Array.isArray(value))
    return value.flatMap((inner: Json, index) => namedKeys(inner, word, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => namedKeys(inner, word, [...path, key]));
}

/** Undefined for what is left out. */
function fill(value: Json, named: NamedValues): Json | undefined {
  if (typeof value === 'string') return fillText(value, named);
  if (Array.isArray(value)) {
    return value.map((inner: Json) => fill(inner, named)).filter((inner) => inner !== undefined);
  }
  return isObject(value) ? fillObject(value, named) : value;
}

function fillObject(value: JsonObject, named: NamedValues): JsonObject | undefined {
  const entries = Object.entries(value);
  const kept = entries
    .map(([key, inner]) => [key, fill(inner, named)] as const)
    .filter((entry): entry is readonly [string, Json] => entry[1] !== undefined);
  return kept.length === 0 && entries.length > 0 ? undefined : Object.fromEntries(kept);
}

function fillText(text: string, { word, values }: NamedValues): Json | undefined {
  const key = whole[word].exec(text)?.[1];
  if (key !== undefined) return given(values, key);
  let missing = false;
  const filled = text.replaceAll(inside[word], (found, name: string) => {
    if (found.startsWith('$$')) return found;
    const value = given(values, name);
    if (value === undefined) missing = true;
    return typeof value === 'string' ? value : JSON.stringify(value ?? null);
  });
  return missing ? undefined : filled;
}

function given(values: JsonObject, key: string): Json | undefined {
  return own(values, key) as Json | undefined;
}
