import { isObject, type Json, type JsonObject, own } from '../core/json.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import { nearest } from '../core/suggest.ts';
import type { Path } from '../files/path.ts';
import { allowsKind, wordsOf } from '../files/schema.ts';
import { parseYaml } from '../files/yaml.ts';
import type { Environment } from './environment.ts';
import type { Override } from './override.ts';
import { schema } from './schema.ts';

export const PREFIX = 'GLEITZEIT_';

/** A key of the configuration and the variable that sets it. */
export type Setting = {
  readonly name: string;
  readonly path: readonly string[];
  readonly schema: JsonSchema;
};

/** Every key that holds a value rather than further keys. */
export function settings(): readonly Setting[] {
  return settingsIn(schema, []);
}

function settingsIn(schema: JsonSchema, path: readonly string[]): Setting[] {
  const branches = isObject(schema) ? (own(schema, 'anyOf') as JsonSchema[] | undefined) : undefined;
  const holders = (branches ?? [schema]).filter(isSection);
  if (holders.length === 0 || holders.length < (branches?.length ?? 1)) {
    return [{ name: PREFIX + path.join('_').toUpperCase(), path, schema }];
  }
  const found = new Map<string, Setting>();
  for (const holder of holders) {
    for (const [key, inner] of Object.entries(wordsOf(holder).properties)) {
      for (const setting of settingsIn(inner as JsonSchema, [...path, key])) {
        if (!found.has(setting.name)) found.set(setting.name, setting);
      }
    }
  }
  return [...found.values()];
}

function isSection(schema: JsonSchema): schema is JsonObject {
  return isObject(schema) && isObject(own(schema, 'properties'));
}

/** What the environment sets. An empty variable says nothing. */
export function readOverrides(env: Environment): Override[] {
  return settings().flatMap(({ name, path, schema }) => {
    const text = Object.hasOwn(env, name) ? (env[name] ?? '') : '';
    return text === '' || isStoreUrl(name) ? [] : [readOverride(name, path, schema, text)];
  });
}

/** It says which kind of store it is as well, and is read on its own. */
function isStoreUrl(name: string): boolean {
  return name === 'GLEITZEIT_STORE_URL';
}

function readOverride(name: string, path: Path, schema: JsonSchema, text: string): Override {
  if (isTexts(schema) && !/^\s*\[/.test(text)) {
    const items = text.split(',').map((item) => item.trim());
    return { name, path, value: items.filter((item) => item !== ''), parsed: null };
  }
  if (!holdsMore(schema)) return { name, path, value: text, parsed: null };
  const parsed = parseYaml(text, {
    file: name,
    code: 'GLZ1012',
    refused_keys: ['constructor', 'prototype'],
    hidden: true,
  });
  return { name, path, value: parsed.value, parsed };
}

function holdsMore(schema: JsonSchema): boolean {
  const branches = isObject(schema) ? ((own(schema, 'anyOf') ?? [schema]) as JsonSchema[]) : [schema];
  return (
    branches.some((branch) => allowsKind(branch, 'object') || allowsKind(branch, 'array')) && !isWords(schema)
  );
}

function isWords(schema: JsonSchema): boolean {
  return isObject(schema) && (Object.hasOwn(schema, 'enum') || Object.hasOwn(schema, 'const'));
}

function isTexts(schema: JsonSchema): boolean {
  const items = isObject(schema) && own(schema, 'type') === 'array' ? own(schema, 'items') : undefined;
  return isObject(items) && own(items, 'type') === 'string';
}

/** A value with another one put in at a path. What stands in the way is left for the checker to complain of. */
export function withOverride(value: Json, [key, ...rest]: Path, put: Json): Json {
  if (key === undefined) return put;
  if (value !== null && !isObject(value)) return value;
  const inner = value === null ? undefined : own(value, String(key));
  return { ...value, [key]: withOverride((inner ?? null) as Json, rest, put) };
}

/** Variables of other parts of the product. */
const others = [
  'GLEITZEIT_CONFIG',
  'GLEITZEIT_SECRET_KEY',
  'GLEITZEIT_SERVER_URL',
  'GLEITZEIT_KEY',
  'GLEITZEIT_KEY_FILE',
  'GLEITZEIT_TIMEOUT',
];

/** Warnings for variables that look like ours and are not. */
export function unknownVariables(env: Environment, known: readonly string[]): string[] {
  const names = [...settings().map(({ name }) => name), ...others, ...known];
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(`${PREFIX}TEST_`) && !names.includes(name))
    .sort()
    .map((name) => {
      const close = nearest(
        name.slice(PREFIX.length),
        names.map((one) => one.slice(PREFIX.length)),
      );
      const hint = close === undefined ? '' : `; did you mean ${PREFIX}${close}?`;
      return `the environment variable ${name} sets nothing${hint}`;
    });
}
