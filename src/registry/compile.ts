import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import { fragment } from '../core/local-ref.ts';
import { compileError } from './compile-error.ts';
import { type Filler, fillerOf } from './defaults.ts';
import { guardedEngine } from './pattern-guard.ts';
import { hasRefLoop } from './ref-loops.ts';
import type { SchemaError } from './schema-errors.ts';
import { schemaWords } from './schema-words.ts';
import { secretFields } from './secret-fields.ts';
import { checkTemplate } from './template-check.ts';

/** A schema ready to judge values. Undefined means that nothing is wrong. */
export type CompiledSchema = {
  readonly fill: Filler | undefined;
  readonly secrets: readonly string[];
  check(value: Json): readonly SchemaError[] | undefined;
  /** As `check`, for values that still hold references. */
  checkTemplate(value: Json): readonly SchemaError[] | undefined;
};

/** `at` is where the schema stands in its protocol, as a JSON pointer: its name, and the field of its errors. */
export type Compile = (at: string, schema: JsonSchema) => CompiledSchema;

const anything: CompiledSchema = {
  fill: undefined,
  secrets: [],
  check: () => undefined,
  checkTemplate: () => undefined,
};

/** Each protocol gets a compiler of its own, so that names inside one never meet those of another. */
export function schemaCompiler(): Compile {
  let ajv: Ajv2020 | undefined;
  return (at, schema) => {
    if (schema === true || (isObject(schema) && Object.keys(schema).length === 0)) return anything;
    ajv ??= createAjv();
    return compileWith(ajv, at, schema);
  };
}

/**
 * Unknown keywords are errors, as typos in a schema silently allow everything; `x-…` and unknown formats are notes for
 * others. Own properties only. The first error ends a check: collecting all of them would let large input cost much.
 */
function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    allowMatchingProperties: true,
    ownProperties: true,
    verbose: true,
    validateSchema: false,
    logger: false,
    code: { regExp: guardedEngine },
  });
  formats.default(ajv);
  ajv.addVocabulary(['example', 'externalDocs']);
  return ajv;
}

function compileWith(ajv: Ajv2020, at: string, schema: JsonSchema): CompiledSchema {
  const id = `gleitzeit:${encodeURI(at)}`;
  try {
    if (hasRefLoop(schema)) throw new GleitzeitError('GLZ1008', 'a $ref leads back to where it stands');
    const prepared = prepare(schema);
    allowWords(ajv, prepared);
    const validate = ajv.compile({ ...prepared, $id: id });
    const part = partValidators(ajv, id, validate);
    return {
      fill: fillerOf(schema),
      secrets: secretFields(schema),
      check: (value) => errorsOf(validate, value),
      checkTemplate: (value) => checkTemplate(schema, value, (path, inner) => errorsOf(part(path), inner)),
    };
  } catch (thrown) {
    throw compileError(thrown, at, () => metaErrors(ajv, schema));
  }
}

/** What the schema of schemas has to say, whatever draft the schema names. */
function metaErrors(ajv: Ajv2020, schema: JsonSchema): readonly SchemaError[] {
  const { $schema, ...rest } = isObject(schema) ? schema : {};
  return ajv.validateSchema(rest) === true ? [] : (ajv.errors ?? []);
}

const knownDrafts =
  /^https?:\/\/json-schema\.org\/(?:draft\/2020-12|draft\/2019-09|draft-07|draft-06)\/schema#?$/;

/** Names of its own would be shared with other schemas; a draft it was written for is checked and then read as 2020-12. */
function prepare(schema: JsonSchema): JsonObject {
  if (typeof schema === 'boolean') return { not: {} };
  const { $id, $schema = 'https://json-schema.org/draft/2020-12/schema', ...rest } = schema;
  if (knownDrafts.test(String($schema))) return rest;
  const reason = `$schema ${JSON.stringify($schema)} is not known`;
  throw new GleitzeitError('GLZ1008', reason, { hint: 'write https://json-schema.org/draft/2020-12/schema' });
}

function allowWords(ajv: Ajv2020, schema: Json): void {
  const words = schemaWords(schema);
  for (const word of words.annotations) if (ajv.RULES.keywords[word] === undefined) ajv.addKeyword(word);
  for (const name of words.formats) if (ajv.formats[name] === undefined) ajv.addFormat(name, true);
}

/** Validators of the schemas inside a schema, made when a template first needs them. */
function partValidators(
  ajv: Ajv2020,
  id: string,
  whole: ValidateFunction,
): (path: readonly string[]) => ValidateFunction {
  const parts = new Map<string, ValidateFunction>([['', whole]]);
  return (path) => {
    const pointer = fragment(path);
    const known = parts.get(pointer);
    if (known !== undefined) return known;
    const made = ajv.compile({ $ref: `${id}#${pointer}` });
    parts.set(pointer, made);
    return made;
  };
}

function errorsOf(validate: ValidateFunction, value: Json): readonly SchemaError[] | undefined {
  try {
    return validate(value) ? undefined : (validate.errors ?? []);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return [{ keyword: 'pattern', instancePath: '', params: {}, message: thrown.message }];
  }
}
