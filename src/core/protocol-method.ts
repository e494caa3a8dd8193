import { type Fields, given, note, openFields } from './fields.ts';
import { isObject, type Json, type JsonObject, kindOf, own } from './json.ts';
import { isSchema, type JsonSchema, mapSubschemas } from './json-schema.ts';
import { paramsSchema, resultSchema } from './protocol-schema.ts';
import { hasReferences } from './references.ts';

/** A call as it could be made, for people to read; checked against the schemas when the protocol is registered. */
export type MethodExample = { readonly params: JsonObject; readonly result?: Json };

export type MethodDefinition = {
  readonly description: string | null;
  readonly params: JsonSchema;
  readonly returns: JsonSchema;
  readonly examples: readonly MethodExample[];
  readonly deprecated: boolean;
  /** Made twice it does no more than made once: where a provider is slow, another may be asked too. */
  readonly idempotent: boolean;
};

const keys = ['description', 'params', 'returns', 'examples', 'deprecated', 'idempotent'];
/** Characters of JSON. A schema larger than this describes data nobody wants to send in one call. */
const MAX_SCHEMA = 256 * 1024;

export function readMethod(value: unknown, place: Omit<Fields, 'object'>): MethodDefinition | undefined {
  const fields = openFields(value, keys, place);
  if (fields === undefined) return undefined;
  const params = readSchema(fields, 'params', paramsSchema);
  const type = isObject(params) ? own(params, 'type') : 'object';
  if (type !== undefined && type !== 'object') {
    note(
      fields,
      'params',
      `must describe an object, not ${JSON.stringify(type)}`,
      'params are given by name',
    );
  }
  return {
    description: readText(fields, 'description'),
    params,
    returns: readSchema(fields, 'returns', resultSchema),
    examples: readExamples(fields),
    deprecated: given(fields, 'deprecated') === true,
    idempotent: readFlag(fields, 'idempotent'),
  };
}

/** Left out, a schema allows anything. */
function readSchema(fields: Fields, key: string, writeOut: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const value = given(fields, key);
  if (value === undefined) return true;
  if (!isSchema(value)) {
    note(fields, key, `must be a JSON Schema or a list of properties, not ${kindOf(value)}`);
    return true;
  }
  if (JSON.stringify(value).length > MAX_SCHEMA) note(fields, key, `is larger than ${MAX_SCHEMA} characters`);
  const schema = writeOut(value);
  if (isObject(schema) && hasFilledDefault(schema)) {
    note(fields, key, `has a default that holds \${`, 'references are filled in params, not in defaults');
  }
  return schema;
}

/** A default is put into params before references are filled there: it must not smuggle one in. */
function hasFilledDefault(schema: JsonObject): boolean {
  let found = hasReferences(schema['default'] ?? null);
  mapSubschemas(schema, (inner) => {
    found ||= hasFilledDefault(inner);
    return inner;
  });
  return found;
}

export function readText(fields: Fields, key: string): string | null {
  const value = given(fields, key);
  if (value === undefined || typeof value === 'string') return value ?? null;
  note(fields, key, `must be text, not ${kindOf(value)}`);
  return null;
}

function readFlag(fields: Fields, key: string): boolean {
  const value = given(fields, key);
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  note(fields, key, `must be true or false, not ${kindOf(value)}`);
  return false;
}

/** An example says `params` and perhaps `result`; without `params` it is the params. */
function readExamples(fields: Fields): readonly MethodExample[] {
  const value = given(fields, 'examples');
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    note(fields, 'examples', `must be a list, not ${kindOf(value)}`);
    return [];
  }
  return value.flatMap((item: unknown) => {
    const example = isObject(item) ? readExample(item) : undefined;
    if (example === undefined)
      note(fields, 'examples', 'must hold objects with params', 'write {"params": {…}}');
    return example ?? [];
  });
}

function readExample(item: JsonObject): MethodExample | undefined {
  const params = own(item, 'params') ?? item;
  if (!isObject(params)) return undefined;
  const result = item['result'];
  return params === item || result === undefined ? { params } : { params, result };
}
