import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';

/**
 * A query as params. What is a number or a list by the schema becomes one, where it can; everything else stays text, and
 * what is wrong with it is said by whoever judges params. A list is written as several, or of words with commas.
 */
export function queryParams(query: URLSearchParams, fields: JsonObject): JsonObject {
  const keys = [...new Set(query.keys())];
  return Object.fromEntries(keys.map((key) => [key, read(key, query.getAll(key), own(fields, key))]));
}

function read(key: string, given: readonly string[], schema: unknown): Json {
  const forms = formsOf(schema);
  const list = forms.find((form) => own(form, 'type') === 'array');
  const [first = '', second] = given;
  if (list === undefined) {
    if (second !== undefined) throw twice(key);
    return readScalar(first, forms);
  }
  const items = isWords(own(list, 'items')) ? given.flatMap((one) => one.split(',')) : given;
  const isOne = items.length === 1 && forms.length > 1;
  return isOne ? first : items.map((item) => item);
}

/** What a schema allows, one by one. */
export function formsOf(schema: unknown): readonly JsonObject[] {
  if (!isObject(schema)) return [];
  const branches = own(schema, 'anyOf');
  return Array.isArray(branches) ? branches.filter(isObject) : [schema];
}

function isWords(schema: unknown): boolean {
  return isObject(schema) && own(schema, 'enum') !== undefined;
}

function readScalar(text: string, forms: readonly JsonObject[]): Json {
  const types = forms.flatMap((form) => own(form, 'type') as Json);
  const isNumber = types.includes('integer') || types.includes('number');
  if (isNumber && /^-?\d{1,15}(?:\.\d+)?$/.test(text)) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function twice(field: string): GleitzeitError {
  const reason = 'stands in the query more than once';
  return new GleitzeitError('GLZ1012', `${field}: ${reason}`, { field, reason });
}
