import { isObject, type Json, type JsonObject, own } from '../core/json.ts';
import { child } from '../core/json-pointer.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import { refTarget } from '../core/local-ref.ts';

/**
 * JSON pointers of the fields a schema marks `x-secret: true`, with `*` for the items of a list and the values of a
 * map. Throws a RangeError where a recursive schema holds one: its depth has no end, so no list of pointers covers it.
 */
export function secretFields(root: JsonSchema): readonly string[] {
  const found = new Set<string>();
  if (isObject(root) && mentionsSecret(root)) visit(root, '', { root, found, open: new Set() });
  return [...found];
}

type Visit = { readonly root: JsonSchema; readonly found: Set<string>; readonly open: Set<JsonObject> };

const sameValue = ['allOf', 'anyOf', 'oneOf'];
const sameValueSingle = ['if', 'then', 'else', 'not'];

function visit(schema: Json | undefined, at: string, state: Visit): void {
  if (!isObject(schema)) return;
  if (own(schema, 'x-secret') === true) {
    state.found.add(at);
    return;
  }
  if (state.open.has(schema)) throw new RangeError('a recursive schema cannot hold a field marked x-secret');
  state.open.add(schema);
  for (const key of sameValue) for (const item of listOf(schema, key)) visit(item, at, state);
  for (const key of sameValueSingle) visit(schema[key], at, state);
  for (const inner of Object.values(mapOf(schema, 'dependentSchemas'))) visit(inner, at, state);
  visit(refTarget(state.root, schema), at, state);
  visitInside(schema, at, state);
  state.open.delete(schema);
}

function visitInside(schema: JsonObject, at: string, state: Visit): void {
  for (const [key, inner] of Object.entries(mapOf(schema, 'properties'))) visit(inner, child(at, key), state);
  for (const inner of Object.values(mapOf(schema, 'patternProperties'))) visit(inner, `${at}/*`, state);
  for (const [i, item] of listOf(schema, 'prefixItems').entries()) visit(item, child(at, i), state);
  for (const key of [
    'items',
    'contains',
    'unevaluatedItems',
    'additionalProperties',
    'unevaluatedProperties',
  ]) {
    visit(schema[key], `${at}/*`, state);
  }
}

function listOf(schema: JsonObject, key: string): readonly Json[] {
  const list = own(schema, key);
  return Array.isArray(list) ? list : [];
}

function mapOf(schema: JsonObject, key: string): JsonObject {
  const map = own(schema, key);
  return isObject(map) ? map : {};
}

/** The first method that marks as secret what stands at a key such as `params.user`, or a part of it, or what it is a part of. */
export function methodWithSecretKey(
  key: string,
  methods: Readonly<Record<string, { readonly params: JsonSchema }>>,
): string | null {
  const [head, ...steps] = key.split('.');
  if (head !== 'params') return null;
  const meets = (pointer: string) =>
    pointer
      .split('/')
      .slice(1)
      .every((part, i) => i >= steps.length || part === '*' || part === child('', steps[i] ?? '').slice(1));
  const found = Object.entries(methods).find(([, { params }]) => secretFields(params).some(meets));
  return found?.[0] ?? null;
}

/** Most schemas have no secrets; those may be as recursive as they like. */
function mentionsSecret(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.some(mentionsSecret);
  if (!isObject(schema)) return false;
  return own(schema, 'x-secret') === true || Object.values(schema).some(mentionsSecret);
}

/** Whether a pointer lies at or under one of the secret ones. */
export function isSecret(pointer: string, secrets: readonly string[]): boolean {
  const keys = pointer.split('/');
  return secrets.some((secret) =>
    secret.split('/').every((key, i) => i < keys.length && (key === keys[i] || key === '*')),
  );
}
