import { parseDuration } from '../core/duration.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../core/json.ts';
import { didYouMean } from '../core/suggest.ts';
import { choicesOf, describeSchema, describeValue } from './describe.ts';
import type { Finding } from './parsed.ts';
import type { Path } from './path.ts';
import { allowsKind, kindsOf } from './schema.ts';
import { parseSize } from './units.ts';

export type Checking = {
  report(finding: Finding): void;
  /** Whether a value is text from the environment, which the schema gives its type. */
  readonly isLoose?: (path: Path) => boolean;
  /** A path of the file system as it counts from the place it was written in. */
  readonly resolve?: (text: string, path: Path) => string;
};

/** Where a value stands and who is told about it. */
export type At = { readonly path: Path; readonly checking: Checking };

/** Everything but lists and mappings that a schema allows. */
export function checkScalar(schema: JsonObject, given: Json, at: At): Json {
  const value = at.checking.isLoose?.(at.path) === true ? typedText(schema, given) : given;
  const choices = choicesOf(schema);
  if (choices !== undefined)
    return choices.includes(value) ? value : reject(schema, value, at, nearestChoice(choices, value));
  if (value === null && schema['x-nullable'] === true) return value;
  if (own(schema, 'x-unit') !== undefined) return checkAmount(schema, value, at);
  if (!kindFits(schema, value)) return reject(schema, value, at, quotesHint(schema, value));
  if (typeof value === 'number') return inRange(schema, value) ? value : reject(schema, value, at);
  return typeof value === 'string' ? checkText(schema, value, at) : value;
}

export function reject(schema: JsonObject | boolean, value: Json, at: At, hint: string | null = null): Json {
  const expected = describeSchema(schema);
  const found = at.checking.isLoose?.(at.path) === true ? null : describeValue(value);
  at.checking.report({ path: at.path, part: 'value', message: `must be ${expected}`, expected, found, hint });
  return value;
}

/** Text from the environment as the number or truth value it is meant to be. */
function typedText(schema: JsonObject, value: Json): Json {
  if (
    typeof value !== 'string' ||
    (kindsOf(schema).includes('string') && own(schema, 'x-unit') === undefined)
  )
    return value;
  if (/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(value) && !allowsOnly(schema, 'boolean'))
    return Number(value);
  if (allowsOnly(schema, 'boolean') && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function allowsOnly(schema: JsonObject, kind: string): boolean {
  const kinds = kindsOf(schema);
  return kinds.length === 1 && kinds[0] === kind;
}

function checkAmount(schema: JsonObject, value: Json, at: At): Json {
  try {
    const amount = schema['x-unit'] === 'size' ? parseSize(value) : parseDuration(value);
    return inRange(schema, amount) ? amount : reject(schema, value, at);
  } catch (thrown) {
    return reject(schema, value, at, GleitzeitError.from(thrown).details.hint ?? null);
  }
}

function checkText(schema: JsonObject, value: string, at: At): Json {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema;
  if (value.length < Number(minLength) || value.length > Number(maxLength)) return reject(schema, value, at);
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) return reject(schema, value, at);
  if (schema['format'] === 'uri' && !URL.canParse(value)) return reject(schema, value, at);
  return schema['x-path'] === true ? (at.checking.resolve?.(value, at.path) ?? value) : value;
}

function inRange(schema: JsonObject, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  return (
    value >= Number(minimum ?? Number.NEGATIVE_INFINITY) &&
    value <= Number(maximum ?? Number.POSITIVE_INFINITY) &&
    (exclusiveMinimum === undefined || value > Number(exclusiveMinimum)) &&
    (exclusiveMaximum === undefined || value < Number(exclusiveMaximum))
  );
}

function kindFits(schema: JsonObject, value: Json): boolean {
  if (typeof value === 'number') {
    const kinds = kindsOf(schema);
    return (
      kinds.length === 0 ||
      kinds.includes('number') ||
      (kinds.includes('integer') && Number.isSafeInteger(value))
    );
  }
  if (value === null) return allowsKind(schema, 'null');
  if (typeof value === 'object') return false;
  return allowsKind(schema, typeof value);
}

function nearestChoice(choices: readonly Json[], value: Json): string | null {
  const words = choices.filter((choice) => typeof choice === 'string');
  return typeof value === 'string' && words.length > 0 ? didYouMean(value, words, 'one of') : null;
}

/** YAML makes numbers and truth values of what was meant as text, and text of what is quoted. */
function quotesHint(schema: JsonObject, value: Json): string | null {
  if (value === null) return 'leave the key out, or give it a value';
  if (allowsOnly(schema, 'array')) return listHint(value);
  if (allowsKind(schema, 'string') && typeof value !== 'object') return 'put it in quotes';
  const bare = typeof value === 'string' && /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(value);
  return bare ? 'write it without quotes' : null;
}

function listHint(value: Json): string {
  if (isObject(value)) return 'write it as a list: each item on a line of its own that begins with "- "';
  const text = String(value).replace(/^\[|\]$/g, '');
  return `write it as a list: [${text.slice(0, 80)}]`;
}
