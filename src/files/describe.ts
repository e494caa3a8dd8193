import { isObject, type Json, type JsonObject, own } from '../core/json.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import { kindsOf } from './schema.ts';
import { showSize } from './units.ts';

/** What a schema wants, for people: `a whole number from 0 to 65535`, `one of sqlite, postgres`. */
export function describeSchema(schema: JsonSchema): string {
  if (!isObject(schema)) return schema ? 'anything' : 'nothing';
  const said = own(schema, 'x-expected');
  if (typeof said === 'string') return said;
  const choices = choicesOf(schema);
  if (choices !== undefined)
    return choices.length === 1 ? show(choices[0]) : `one of ${choices.map(show).join(', ')}`;
  const branches = own(schema, 'anyOf') ?? own(schema, 'oneOf');
  if (Array.isArray(branches))
    return [...new Set(branches.map((branch) => describeSchema(branch as JsonSchema)))].join(' or ');
  if (own(schema, 'x-unit') !== undefined) return describeAmount(schema);
  const kinds = kindsOf(schema);
  return kinds.length === 0 ? 'anything' : kinds.map((kind) => describeKind(kind, schema)).join(' or ');
}

/** The few values a schema allows, where it lists them. */
export function choicesOf(schema: JsonObject): readonly Json[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const'] as Json];
  const listed = own(schema, 'enum');
  if (Array.isArray(listed)) return listed as Json[];
  const branches = own(schema, 'anyOf') ?? own(schema, 'oneOf');
  if (!Array.isArray(branches)) return undefined;
  const choices = branches.map((branch) => (isObject(branch) ? choicesOf(branch) : undefined));
  return choices.every((choice) => choice !== undefined) ? choices.flat() : undefined;
}

const kindWords: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  object: 'a mapping (key: value)',
  array: 'a list',
  null: 'null',
};

function describeKind(kind: string, schema: JsonObject): string {
  if (kind === 'integer' || kind === 'number') {
    return `${kind === 'integer' ? 'a whole number' : 'a number'}${range(schema, String)}`;
  }
  const { minLength, maxLength, format, minItems, maxItems } = schema;
  if (kind === 'string' && schema['x-path'] === true) return 'a path';
  if (kind === 'string' && format === 'uri') return 'a URL';
  if (kind === 'string' && Number(minLength ?? 0) > 0 && maxLength === undefined)
    return 'text that is not empty';
  if (kind === 'string' && maxLength !== undefined)
    return `text of ${Number(minLength ?? 0)} to ${maxLength} characters`;
  if (kind === 'array' && maxItems !== undefined) return `a list of ${Number(minItems ?? 0)} to ${maxItems}`;
  if (kind === 'array' && minItems !== undefined) return `a list of at least ${minItems}`;
  return kindWords[kind] ?? kind;
}

function describeAmount(schema: JsonObject): string {
  return schema['x-unit'] === 'size'
    ? `a size such as 8MiB${range(schema, showSize)}`
    : `a duration such as 30s${range(schema, showSeconds)}`;
}

function range({ minimum, maximum }: JsonObject, showNumber: (value: number) => string): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') {
    return ` from ${showNumber(minimum)} to ${showNumber(maximum)}`;
  }
  if (typeof minimum === 'number') return ` of at least ${showNumber(minimum)}`;
  return typeof maximum === 'number' ? ` of at most ${showNumber(maximum)}` : '';
}

const seconds = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

export function showSeconds(value: number): string {
  for (const [unit, factor] of seconds) {
    if (value >= factor && value % factor === 0) return `${value / factor}${unit}`;
  }
  return value > 0 && value < 1 ? `${Math.round(value * 1e6) / 1e3}ms` : `${value}s`;
}

/** What was found instead, short enough for a message. */
export function describeValue(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (isObject(value)) return 'a mapping';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'nothing' : String(value);
}

function show(value: Json | undefined): string {
  return typeof value === 'string' && /^[\w.-]+$/.test(value) ? value : JSON.stringify(value ?? null);
}

const WORDS_LISTED = 24;

/** The words there are to choose from; null where there are none. */
export function oneOf(words: readonly string[]): string | null {
  if (words.length === 0) return null;
  const more = words.length > WORDS_LISTED ? `, and ${words.length - WORDS_LISTED} more` : '';
  return `one of ${words.slice(0, WORDS_LISTED).join(', ')}${more}`;
}
