import type { Method } from '../api/method.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import { type Compile, type CompiledSchema, schemaCompiler } from '../registry/compile.ts';
import { explain, type SchemaError } from '../registry/schema-errors.ts';
import type { RpcParams } from '../rpc/messages.ts';

export type ReadParams = (params: RpcParams | undefined) => JsonObject;

/** Readers of what callers send, each compiled when its method is first called. */
export function paramsReaders(): (name: string, method: Method) => ReadParams {
  const compile = schemaCompiler();
  return (name, method) => paramsReader(compile, name, method);
}

function paramsReader(compile: Compile, name: string, method: Method): ReadParams {
  let compiled: CompiledSchema | undefined;
  return (params = {}) => {
    if (Array.isArray(params)) throw byPosition(name, method);
    compiled ??= compile(`/${name}`, judgedHere(method));
    const filled = (compiled.fill?.(params as Json) ?? params) as JsonObject;
    const errors = compiled.check(filled);
    if (errors === undefined) return filled;
    const { pointer, reason, hint } = explain(aboutWords(errors), compiled.secrets);
    const field = fieldName(pointer);
    const message = field === '' ? reason : `${field}: ${reason}`;
    throw new GleitzeitError('GLZ1012', message, { field, reason, ...(hint === undefined ? {} : { hint }) });
  };
}

/** Where a word or a list of them may stand, whoever wrote a word wants to hear of words, and not that it is no list. */
function aboutWords(errors: readonly SchemaError[]): readonly SchemaError[] {
  const choice = errors.find(({ keyword }) => keyword === 'anyOf');
  if (choice === undefined) return errors;
  const ofType = errors.filter(({ keyword }) => keyword === 'type');
  const others = errors.filter((error) => error !== choice && !ofType.includes(error));
  if (typeof choice.data === 'string') return others.length > 0 ? others : errors;
  return Array.isArray(choice.data) ? errors : [...ofType, choice];
}

/** The schema without what the engine judges, and says more about than a schema can. */
function judgedHere({ params, engine_judges = [] }: Method): JsonSchema {
  const { properties, required, additionalProperties } = JSON.parse(JSON.stringify(params)) as JsonObject;
  const known = Object.entries(isObject(properties) ? properties : {});
  return {
    type: 'object',
    properties: Object.fromEntries(
      known.map(([key, field]) => [key, engine_judges.includes(key) ? {} : field]),
    ),
    ...(Array.isArray(required) ? { required } : {}),
    additionalProperties: engine_judges.includes('*') ? true : (additionalProperties ?? true),
  };
}

function byPosition(name: string, { params }: Method): GleitzeitError {
  const { properties } = JSON.parse(JSON.stringify(params)) as JsonObject;
  const names = Object.keys(isObject(properties) ? properties : {});
  const reason = 'params are given by name, not by position';
  const hint = names.length === 0 ? `${name} takes none` : `send an object with: ${names.join(', ')}`;
  return new GleitzeitError('GLZ1012', reason, { field: 'params', reason, hint });
}

/** A param is called by its name; what lies inside one by a JSON pointer. */
export function fieldName(field: string): string {
  return /^\/[^/]*$/.test(field) ? field.slice(1).replaceAll('~1', '/').replaceAll('~0', '~') : field;
}
