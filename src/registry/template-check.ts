import { isObject, type Json, type JsonObject, own } from '../core/json.ts';
import { child } from '../core/json-pointer.ts';
import { isSchema, type JsonSchema } from '../core/json-schema.ts';
import { refPath } from '../core/local-ref.ts';
import { hasReferences } from '../core/references.ts';
import type { SchemaError } from './schema-errors.ts';

/** Judges a value that holds no references against the schema at a path inside the root. */
export type PartCheck = (path: readonly string[], value: Json) => readonly SchemaError[] | undefined;

type Place = {
  readonly schema: JsonSchema;
  readonly path: readonly string[];
  readonly at: string;
};
type Check = { readonly root: JsonSchema; readonly check: PartCheck };
type Errors = readonly SchemaError[] | undefined;

/**
 * Params before their references are filled. What a text with a reference becomes is unknown, so nothing is said of it,
 * nor of what depends on it (`anyOf`, `not`, `enum`…) in the objects and lists around it. Missing keys, unknown
 * keys and the wrong kind of container are certain already, and whatever holds no reference is checked in full.
 */
export function checkTemplate(root: JsonSchema, value: Json, check: PartCheck): Errors {
  return judge(value, { schema: root, path: [], at: '' }, { root, check });
}

function judge(value: Json, place: Place, state: Check): Errors {
  if (!hasReferences(value)) return located(state.check(place.path, value), place.at);
  if (typeof value === 'string' || !isObject(place.schema)) return undefined;
  return (
    wrongKind(value, place.schema, place.at) ??
    throughRef(value, place.schema, { place, state }) ??
    throughAll(value, place.schema, { place, state }) ??
    (isObject(value)
      ? judgeObject(value, place.schema, { place, state })
      : judgeList(value, place.schema, { place, state }))
  );
}

type Here = { readonly place: Place; readonly state: Check };

function located(errors: Errors, at: string): Errors {
  return errors?.map((error) => ({ ...error, instancePath: at + error.instancePath }));
}

function wrongKind(value: Json, schema: JsonObject, at: string): Errors {
  const type = own(schema, 'type');
  const kind = isObject(value) ? 'object' : 'array';
  if (type === undefined || [type].flat().includes(kind)) return undefined;
  return [{ keyword: 'type', instancePath: at, params: { type }, data: value }];
}

function throughRef(value: Json, schema: JsonObject, { place, state }: Here): Errors {
  const path = refPath(own(schema, '$ref'));
  if (path === undefined) return undefined;
  const target = path.reduce<unknown>(stepInto, state.root);
  return isSchema(target) ? judge(value, { ...place, schema: target, path }, state) : undefined;
}

function stepInto(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? own(value, key) : undefined;
}

function throughAll(value: Json, schema: JsonObject, { place, state }: Here): Errors {
  for (const [i, part] of listOf(schema, 'allOf').entries()) {
    const errors = isSchema(part)
      ? judge(value, { ...place, schema: part, path: [...place.path, 'allOf', String(i)] }, state)
      : undefined;
    if (errors !== undefined) return errors;
  }
  return undefined;
}

function judgeObject(value: JsonObject, schema: JsonObject, here: Here): Errors {
  const missing = listOf(schema, 'required').find(
    (key) => typeof key === 'string' && !Object.hasOwn(value, key),
  );
  if (missing !== undefined)
    return [objectError('required', { missingProperty: missing }, { value, schema, here })];
  for (const key of Object.keys(value)) {
    const errors = judgeProperty(key, value, { schema, here });
    if (errors !== undefined) return errors;
  }
  return undefined;
}

function judgeProperty(
  key: string,
  value: JsonObject,
  { schema, here }: { schema: JsonObject; here: Here },
): Errors {
  const properties = own(schema, 'properties');
  if (isObject(properties) && Object.hasOwn(properties, key)) {
    return judgeInside(value[key], key, { inner: properties[key], steps: ['properties', key], here });
  }
  // Patterns are left to the final check: whether one applies decides about the other keywords too.
  const others = own(schema, 'additionalProperties');
  if (others === undefined || own(schema, 'patternProperties') !== undefined) return undefined;
  if (others === false)
    return [objectError('additionalProperties', { additionalProperty: key }, { value, schema, here })];
  return judgeInside(value[key], key, { inner: others, steps: ['additionalProperties'], here });
}

function judgeList(value: Json, schema: JsonObject, here: Here): Errors {
  const first = listOf(schema, 'prefixItems');
  for (const [i, item] of (value as readonly Json[]).entries()) {
    const inner = i < first.length ? first[i] : own(schema, 'items');
    const steps = i < first.length ? ['prefixItems', String(i)] : ['items'];
    const errors = judgeInside(item, i, { inner, steps, here });
    if (errors !== undefined) return errors;
  }
  return undefined;
}

type Inside = { readonly inner: unknown; readonly steps: readonly string[]; readonly here: Here };

function judgeInside(value: Json | undefined, key: string | number, { inner, steps, here }: Inside): Errors {
  if (value === undefined || !isSchema(inner)) return undefined;
  const { path, at } = here.place;
  return judge(value, { schema: inner, path: [...path, ...steps], at: child(at, key) }, here.state);
}

function objectError(
  keyword: string,
  params: SchemaError['params'],
  { value, schema, here }: { value: JsonObject; schema: JsonObject; here: Here },
): SchemaError {
  return { keyword, instancePath: here.place.at, params, parentSchema: schema, data: value };
}

function listOf(schema: JsonObject, key: string): readonly Json[] {
  const list = own(schema, key);
  return Array.isArray(list) ? list : [];
}
