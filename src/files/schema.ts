import { GleitzeitError } from '../core/errors.ts';
import { isObject, type JsonObject, own } from '../core/json.ts';
import type { JsonSchema } from '../core/json-schema.ts';

/** The words of JSON Schema that the checker knows. One it does not know would be a promise nobody keeps. */
const checked = new Set([
  ...['type', 'enum', 'const', 'anyOf', 'oneOf', 'default'],
  ...['properties', 'required', 'additionalProperties', 'patternProperties'],
  ...['items', 'minItems', 'maxItems', 'uniqueItems'],
  ...[
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'minLength',
    'maxLength',
    'pattern',
    'format',
  ],
]);
const notes = new Set(['title', 'description', 'examples', 'deprecated', '$id', '$schema', '$comment']);

/**
 * Beside these there are words of our own: `x-unit` is `duration` (a number of seconds, or text such as 30s) or `size`
 * (bytes, or text such as 8MiB), and `x-nullable` lets such an amount be null; `x-path` marks a path of the file system;
 * `x-expected` says what is expected in words. `x-publish` holds what only others are told in words of JSON Schema, since
 * the reader of the file has better ones.
 */
export function refuseForeignWords(schema: JsonObject): void {
  for (const word of Object.keys(schema)) {
    if (checked.has(word) || notes.has(word) || word.startsWith('x-') || word.startsWith('~')) continue;
    throw new GleitzeitError('GLZ9001', `a schema for files uses "${word}", which is not checked there`);
  }
}

type ObjectWords = {
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly patterns: readonly (readonly [RegExp, JsonSchema])[];
  /** What holds for keys that are not listed. */
  readonly others: JsonSchema;
};

export function wordsOf(schema: JsonObject): ObjectWords {
  const properties = own(schema, 'properties');
  const patternProperties = own(schema, 'patternProperties');
  const required = own(schema, 'required');
  const additional = own(schema, 'additionalProperties');
  const patterns = isObject(patternProperties)
    ? Object.entries(patternProperties).map(
        ([pattern, inner]) => [new RegExp(pattern, 'u'), inner as JsonSchema] as const,
      )
    : [];
  const closed = isObject(properties) || patterns.length > 0;
  return {
    properties: isObject(properties) ? properties : {},
    required: Array.isArray(required) ? required : [],
    patterns,
    others: (additional as JsonSchema | undefined) ?? !closed,
  };
}

/** The words of JSON's kinds that a schema names; none where it leaves that open. */
export function kindsOf(schema: JsonSchema): readonly string[] {
  if (!isObject(schema)) return [];
  const branches = own(schema, 'anyOf') ?? own(schema, 'oneOf');
  if (Array.isArray(branches)) {
    const kinds = branches.map((branch) => kindsOf(branch as JsonSchema));
    return kinds.some(({ length }) => length === 0) ? [] : kinds.flat();
  }
  const type = own(schema, 'type');
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? (type as string[]) : [];
}

export function allowsKind(schema: JsonSchema, kind: string): boolean {
  const kinds = kindsOf(schema);
  return kinds.length === 0 || kinds.includes(kind);
}
