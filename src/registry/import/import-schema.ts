import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { objectIn, textIn } from '../../core/members.ts';
import { pathOfPointer } from './pointer.ts';

/** Deeper than this a schema is left open: what it describes is checked by its service. */
const MAX_DEPTH = 24;
/** Schemas that are written out in the place of references; a document can make one of a few lines gigantic. */
const MAX_WRITTEN = 5000;

const kept = new Set([
  ...['type', 'enum', 'const', 'default', 'title', 'description', 'format', 'deprecated'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
  ...['required', 'contentEncoding', 'contentMediaType'],
]);
/** Not among them is `not`: what is left out of it would be refused. */
const one = new Set(['items', 'additionalProperties', 'contains', 'propertyNames']);
const several = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);

/**
 * The schemas of a foreign document as we can check them: references written out, words of older dialects turned into
 * today's, and words we do not know left out. Whatever cannot be carried over allows more than before, never less.
 */
export function schemaImporter(document: JsonObject): (schema: unknown) => Json {
  let written = 0;

  function made(schema: unknown, seen: readonly string[], depth: number): Json {
    if (!isObject(schema) || depth > MAX_DEPTH || ++written > MAX_WRITTEN) return true;
    const ref = own(schema, '$ref');
    if (typeof ref === 'string') {
      // A schema inside itself has no end that could be written out.
      if (seen.includes(ref)) return true;
      const found = made(find(document, ref), [...seen, ref], depth + 1);
      // Beside a reference the word means nothing, and is written there all the same.
      return isObject(found) ? nullable(found, own(schema, 'nullable') === true) : found;
    }
    return today(members(schema, (inner) => made(inner, seen, depth + 1)));
  }

  return (schema) => made(schema, [], 0);
}

function members(schema: JsonObject, inner: (schema: unknown) => Json): Record<string, Json> {
  const result: Record<string, Json> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (kept.has(key)) result[key] = value;
    else if (one.has(key)) result[key] = typeof value === 'boolean' ? value : inner(value);
    else if (several.has(key) && Array.isArray(value)) result[key] = value.map(inner);
    else if (key === 'pattern' && isUsable(value)) result[key] = value;
    else if (key === 'properties' && isObject(value))
      result[key] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]));
  }
  return nullable(wider(result, schema), own(schema, 'nullable') === true);
}

/** Where a word that was left out made room for something, the words beside it must not take that away. */
function wider(result: Record<string, Json>, schema: JsonObject): Record<string, Json> {
  const { oneOf, ...rest } = result;
  if (Object.hasOwn(schema, 'patternProperties')) delete rest['additionalProperties'];
  if (Object.hasOwn(schema, 'minContains')) delete rest['contains'];
  if (Array.isArray(rest['required'])) rest['required'] = withoutOneWay(rest['required'], schema);
  // Of several that are less exact than they were, more than one may fit.
  if (oneOf === undefined) return rest;
  if (rest['anyOf'] === undefined) return { ...rest, anyOf: oneOf };
  return { ...rest, allOf: [...((rest['allOf'] ?? []) as Json[]), { anyOf: oneOf }] };
}

/** What is only ever sent by the service, or only ever to it, is required in that direction alone. */
function withoutOneWay(required: readonly Json[], schema: JsonObject): Json[] {
  const properties = objectIn(schema, 'properties');
  return required.filter((name) => {
    const { readOnly, writeOnly } = typeof name === 'string' ? objectIn(properties, name) : {};
    return readOnly !== true && writeOnly !== true;
  });
}

/** Patterns are read by RE2, which has neither looking around nor referring back. */
function isUsable(pattern: Json): boolean {
  return typeof pattern === 'string' && pattern.length <= 256 && !/\(\?[=!<]|\\[1-9]/.test(pattern);
}

/** OpenAPI 3.0 says so in a word of its own. */
function nullable(schema: JsonObject, allowed: boolean): Record<string, Json> {
  if (!allowed) return { ...schema };
  const { type, enum: choices, ...rest } = schema;
  if (typeof type === 'string') {
    const others = Array.isArray(choices) ? (choices as Json[]).filter((choice) => choice !== null) : null;
    const values = others === null ? {} : { enum: [...others, null] };
    return { ...rest, ...values, type: [type, 'null'] };
  }
  return { anyOf: [schema, { type: 'null' }] };
}

/** In OpenAPI 3.0 `exclusiveMinimum: true` makes `minimum` one. */
function today(schema: Record<string, Json>): Record<string, Json> {
  const result = { ...schema };
  for (const [word, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof result[word] !== 'boolean') continue;
    const limit = result[bound];
    delete result[word];
    if (schema[word] === true && limit !== undefined) {
      delete result[bound];
      result[word] = limit;
    }
  }
  if (Array.isArray(result['required']) && result['required'].length === 0) delete result['required'];
  return result;
}

/** What a reference inside the document means; undefined for one that leads elsewhere. */
export function find(document: JsonObject, ref: string): unknown {
  if (!ref.startsWith('#/')) return undefined;
  let value: unknown = document;
  for (const step of pathOfPointer(ref.slice(1)))
    value = isObject(value) || Array.isArray(value) ? own(value, step) : undefined;
  return value;
}

/** References to references that are followed before somebody is lost. */
const MAX_STEPS = 8;

/** A part of the document, or what its reference means; empty where that leads nowhere. */
export function resolved(document: JsonObject, value: JsonObject): JsonObject {
  let found: unknown = value;
  for (let step = 0; step < MAX_STEPS && isObject(found); step++) {
    const ref = textIn(found, '$ref');
    if (ref === null) return found;
    found = find(document, ref);
  }
  return {};
}
