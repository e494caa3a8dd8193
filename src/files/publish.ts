import { isObject, type Json, type JsonObject, own } from '../core/json.ts';
import { type JsonSchema, mapSubschemas } from '../core/json-schema.ts';
import { kindsOf, wordsOf } from './schema.ts';

/** Text that `parseDuration` and `parseSize` read. */
const AMOUNT = '\\d+(?:\\.\\d+)?';
const UNITS = ['d', 'h', 'm', 's', 'ms'].map((unit) => `(?:${AMOUNT}${unit})?`).join('');
const TIME = ['H', 'M', 'S'].map((unit) => `(?:${AMOUNT}${unit})?`).join('');
const DURATION = `^\\s*(?=\\S)(?:${UNITS}|P(?=.)(?:${AMOUNT}W)?(?:${AMOUNT}D)?(?:T(?=\\d)${TIME})?)\\s*$`;
const MORE_THAN_NOTHING = '^(?=.*[1-9])';
const SIZE = `^${AMOUNT} ?(?:[bB]|[kKmMgG][iI]?[bB])?$`;

/**
 * A schema of files as others read it: JSON Schema 2020-12 without words of our own. It allows what the checker allows:
 * objects that list their keys have no others, an amount is a number or text with a unit, and a section that is not
 * required may be left empty.
 */
export function publishSchema(schema: JsonObject): JsonObject {
  return withoutOwnWords({ ...closed(mapSubschemas(amount(schema), publishSchema)), ...forOthers(schema) });
}

/** What the reader of a file says in its own words, in those of JSON Schema. */
function forOthers(schema: JsonObject): JsonObject {
  const words = own(schema, 'x-publish');
  return isObject(words) ? (words as JsonObject) : {};
}

function amount(schema: JsonObject): JsonObject {
  const unit = own(schema, 'x-unit');
  if (unit === undefined) return schema;
  const { type: _, minimum, maximum, ...rest } = schema;
  const number: Record<string, Json> = { type: 'number' };
  if (minimum !== undefined) number['minimum'] = minimum;
  if (maximum !== undefined) number['maximum'] = maximum;
  const more = typeof minimum === 'number' && minimum > 0 ? MORE_THAN_NOTHING : '';
  const text = { type: 'string', pattern: unit === 'size' ? SIZE : `${more}${DURATION}` };
  const nothing = own(schema, 'x-nullable') === true ? [{ type: 'null' }] : [];
  return { ...rest, anyOf: [number, text, ...nothing] };
}

function closed(schema: JsonObject): JsonObject {
  const { others, properties, patterns, ...words } = wordsOf(schema);
  if (own(schema, 'properties') === undefined && patterns.length === 0) return schema;
  // What has a default is filled in.
  const required = words.required.filter((key) => own(Object(properties[key]), 'default') === undefined);
  const open = Object.entries(properties).map(([key, inner]) => [
    key,
    required.includes(key) ? inner : orNothing(inner),
  ]);
  const listed = open.length === 0 ? {} : { properties: Object.fromEntries(open) };
  const { required: _, ...rest } = schema;
  const needed = required.length === 0 ? {} : { required };
  return { ...rest, ...listed, ...needed, additionalProperties: others as Json };
}

/** A key whose lines are all commented out is as good as left out. */
function orNothing(schema: Json | undefined): Json {
  const inner = schema as JsonSchema;
  const kinds = kindsOf(inner);
  const holdsMore = kinds.includes('object') || kinds.includes('array');
  if (!isObject(inner) || !holdsMore || kinds.includes('null')) return inner;
  const branches = own(inner, 'anyOf');
  if (Array.isArray(branches)) return { ...inner, anyOf: [...branches, { type: 'null' }] };
  return { ...inner, type: [...kinds, 'null'] };
}

function withoutOwnWords(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).filter(([word]) => !word.startsWith('x-') && !word.startsWith('~')),
  );
}
