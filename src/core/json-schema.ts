import { isObject, type Json, type JsonObject, own } from './json.ts';

/** A JSON Schema, draft 2020-12: an object, or true for anything and false for nothing. */
export type JsonSchema = JsonObject | boolean;

const mapsOfSchemas = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const listsOfSchemas = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const singleSchemas = [
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
];

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value);
}

/** The schema with every schema object directly inside it replaced. `path` leads from the schema to the one inside. */
export function mapSubschemas(
  schema: JsonObject,
  replace: (schema: JsonObject, path: readonly string[]) => Json,
): JsonObject {
  const copy: Record<string, Json> = { ...schema };
  const put = (value: Json, path: readonly string[]) => (isObject(value) ? replace(value, path) : value);
  for (const key of mapsOfSchemas) {
    const map = own(schema, key);
    if (!isObject(map)) continue;
    copy[key] = Object.fromEntries(
      Object.entries(map).map(([name, value]) => [name, put(value, [key, name])]),
    );
  }
  for (const key of listsOfSchemas) {
    const list = own(schema, key);
    if (Array.isArray(list)) copy[key] = list.map((value, i) => put(value, [key, String(i)]));
  }
  for (const key of singleSchemas) {
    const single = own(schema, key);
    if (isObject(single)) copy[key] = replace(single, [key]);
  }
  return copy;
}
