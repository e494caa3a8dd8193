import { isObject, type Json, type JsonObject, kindOf, own } from '../core/json.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import { didYouMean, nearest } from '../core/suggest.ts';
import { type At, type Checking, checkScalar, reject } from './check-scalar.ts';
import { choicesOf, describeSchema, oneOf } from './describe.ts';
import type { Path } from './path.ts';
import { NOTHING } from './problems.ts';
import { allowsKind, refuseForeignWords, wordsOf } from './schema.ts';

export type { Checking } from './check-scalar.ts';

/**
 * Holds a value against a schema and reports everything that does not fit. Returns the value as a program wants it:
 * defaults filled in, durations in seconds, sizes in bytes. Stricter than JSON Schema in one thing: an object with
 * `properties` that does not say otherwise has no other keys.
 */
export function checkValue(schema: JsonSchema, value: Json, path: Path, checking: Checking): Json {
  return check(schema, value, { path, checking });
}

function check(schema: JsonSchema, value: Json, at: At): Json {
  if (schema === true) return value;
  if (schema === false) return reject(schema, value, at);
  refuseForeignWords(schema);
  const branches = own(schema, 'anyOf') ?? own(schema, 'oneOf');
  if (Array.isArray(branches) && choicesOf(schema) === undefined) {
    return checkUnion(schema, branches as JsonSchema[], value, at);
  }
  if (choicesOf(schema) !== undefined) return checkScalar(schema, value, at);
  if (isObject(value) && allowsKind(schema, 'object')) return checkObject(schema, value, at);
  if (Array.isArray(value) && allowsKind(schema, 'array')) return checkList(schema, value, at);
  return checkScalar(schema, value, at);
}

function checkObject(schema: JsonObject, value: JsonObject, at: At): JsonObject {
  const { properties, patterns, others } = wordsOf(schema);
  const result: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    const inner = own(properties, key) ?? patterns.find(([pattern]) => pattern.test(key))?.[1] ?? others;
    const deeper = { ...at, path: [...at.path, key] };
    if (inner === false) reportUnknown(key, properties, deeper);
    else if (!saysNothing(inner as JsonSchema, item)) result[key] = check(inner as JsonSchema, item, deeper);
  }
  fillIn(schema, value, result, at);
  return result;
}

function reportUnknown(key: string, properties: JsonObject, { path, checking }: At): void {
  const known = currentKeys(properties);
  const found = JSON.stringify(key.slice(0, 80));
  const hint = didYouMean(olderKey(key, properties) ?? key, known, 'known keys');
  const expected = oneOf(known);
  checking.report({ path, part: 'key', message: `unknown key ${found}`, found, expected, hint });
}

/** What is written today for the older word that this one is near to, or the plural of. */
function olderKey(key: string, properties: JsonObject): string | undefined {
  const known = currentKeys(properties);
  if (nearest(key, known) !== undefined) return undefined;
  const older = Object.keys(properties).filter((one) => !known.includes(one));
  const meant = nearest(key, older) ?? nearest(key.replace(/ies$/, 'y'), older);
  const schema = meant === undefined ? undefined : properties[meant];
  const description = isObject(schema) ? own(schema, 'description') : undefined;
  return typeof description === 'string' ? /^older: write (\w+)$/.exec(description)?.[1] : undefined;
}

/** Nobody is led to an older word. */
function currentKeys(properties: JsonObject): string[] {
  return Object.keys(properties).filter((key) => {
    const inner = properties[key];
    return !isObject(inner) || own(inner, 'deprecated') !== true;
  });
}

/** A section whose lines are all commented out is as good as left out. */
function saysNothing(schema: JsonSchema, value: Json): boolean {
  const holdsMore = allowsKind(schema, 'object') || allowsKind(schema, 'array');
  return value === null && isObject(schema) && holdsMore && !allowsKind(schema, 'null');
}

function fillIn(schema: JsonObject, given: JsonObject, result: Record<string, Json>, at: At): void {
  const { properties, required } = wordsOf(schema);
  for (const [key, inner] of Object.entries(properties)) {
    if (Object.hasOwn(result, key)) continue;
    const deeper = { ...at, path: [...at.path, key] };
    const fallback = isObject(inner) ? own(inner, 'default') : undefined;
    if (fallback !== undefined) result[key] = check(inner as JsonSchema, fallback as Json, deeper);
    else if (required.includes(key)) reportMissing(inner as JsonSchema, Object.hasOwn(given, key), deeper);
  }
}

function reportMissing(schema: JsonSchema, empty: boolean, { path, checking }: At): void {
  const expected = describeSchema(schema);
  const message = empty ? 'is empty' : 'is missing';
  checking.report({ path, part: 'key', message, found: NOTHING, expected, hint: `it is ${expected}` });
}

function checkList(schema: JsonObject, value: readonly Json[], at: At): Json {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items = true, uniqueItems } = schema;
  if (value.length < Number(minItems) || value.length > Number(maxItems)) return reject(schema, value, at);
  const seen = new Set<string>();
  return value.map((item, index) => {
    const deeper = { ...at, path: [...at.path, index] };
    const text = uniqueItems === true ? JSON.stringify(item) : String(index);
    if (seen.has(text)) {
      at.checking.report({ path: deeper.path, part: 'value', message: 'stands twice in this list' });
    }
    seen.add(text);
    return check(items as JsonSchema, item, deeper);
  });
}

/** The branch that is meant is held against the value, so that the report says what is wrong with that one. */
function checkUnion(schema: JsonObject, branches: readonly JsonSchema[], value: Json, at: At): Json {
  const objects = branches.filter((branch): branch is JsonObject => isObject(branch) && isOfObjects(branch));
  if (isObject(value) && objects.length > 0) return checkOneOf(objects, value, at);
  const [only, ...more] = branches.filter((branch) => allowsKind(branch, kindOf(value)));
  if (only !== undefined && more.length === 0 && typeof value === 'object') return check(only, value, at);
  for (const branch of branches) {
    let fits = true;
    const report = () => {
      fits = false;
    };
    const trial = check(branch, value, { ...at, checking: { ...at.checking, report } });
    if (fits) return trial;
  }
  return reject(schema, value, at);
}

function isOfObjects(branch: JsonObject): boolean {
  return own(branch, 'type') === 'object';
}

/** A key with a fixed word in each branch decides; without that key, the branch that knows the other keys. */
function checkOneOf(branches: readonly JsonObject[], value: JsonObject, at: At): Json {
  const candidates = branches.filter((branch) => {
    const { properties } = wordsOf(branch);
    return Object.entries(properties).every(([key, inner]) => {
      const fixed = isObject(inner) ? own(inner, 'const') : undefined;
      return fixed === undefined || !Object.hasOwn(value, key) || value[key] === fixed;
    });
  });
  const knowing = candidates.find((branch) => {
    const { properties } = wordsOf(branch);
    return Object.keys(value).every((key) => Object.hasOwn(properties, key));
  });
  const meant = knowing ?? candidates[0];
  return meant === undefined ? rejectWord(branches, value, at) : check(meant, value, at);
}

/** None of the branches has the word: the report names those there are. */
function rejectWord(branches: readonly JsonObject[], value: JsonObject, at: At): Json {
  const fixed = new Map<string, Json[]>();
  for (const branch of branches) {
    for (const [key, inner] of Object.entries(wordsOf(branch).properties)) {
      if (isObject(inner) && Object.hasOwn(inner, 'const')) {
        fixed.set(key, [...(fixed.get(key) ?? []), inner['const'] as Json]);
      }
    }
  }
  for (const [key, words] of fixed) {
    if (Object.hasOwn(value, key))
      checkScalar({ enum: words }, value[key] as Json, { ...at, path: [...at.path, key] });
  }
  return value;
}
