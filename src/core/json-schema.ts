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

/** The schema with every schema object directly inside it replaced. */
export function mapSubschemas(schema: JsonObject, replace: (schema: JsonObject) => Json): JsonObject {
  const copy: Record<string, Json> = { ...schema };
  const put = (value: Json) => (isObject(value) ? replace(value) : value);
  for (const key of mapsOfSchemas) {
    const map = own(schema, key);
    if (!isObject(map)) continue;
    copy[key] = Object.fromEntries(Object.entries(map).map(([name, value]) => [name, put(value)]));
  }
  for (const key of listsOfSchemas) {
    const list = own(schema, key);
    if (Array.isArray(list)) copy[key] = list.map(put);
  }
  for (const key of singleSchemas) {
    const single = own(schema, key);
    if (isObject(single)) copy[key] = replace(single);
  }
  return copy;
}
