import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { isSchema, type JsonSchema } from '../../core/json-schema.ts';
import { followRef } from '../../core/local-ref.ts';
import type { Segment } from '../../core/reference-syntax.ts';
import { bothKinds, eitherKinds, type Kinds, kindsBySchema } from './kinds.ts';

/** A schema, and the whole that its `$ref`s count from. */
export type Shape = { readonly root: JsonSchema; readonly schema: JsonSchema };

/** One of the ways in which a value may fit: every schema of it holds. */
export type Branch = readonly JsonObject[];

const ANYTHING: readonly Branch[] = [[]];
/** Past this nothing is said: what is certain of so many ways is nothing. */
const MOST_BRANCHES = 64;

/**
 * A schema without `$ref`, `allOf`, `anyOf` and `oneOf`, as the ways in which they let a value fit. None: nothing fits.
 * What other words demand (`not`, `if`…) is left open, so a value that no branch allows is certainly wrong, and one that
 * a branch allows may be.
 */
export function branchesOf(shape: Shape, open: readonly JsonObject[] = []): readonly Branch[] {
  const { root, schema } = shape;
  if (schema === false) return [];
  if (schema === true || open.includes(schema)) return ANYTHING;
  const within = (inner: unknown) =>
    isSchema(inner) ? branchesOf({ root, schema: inner }, [...open, schema]) : ANYTHING;
  let branches: readonly Branch[] = [[schema]];
  const ref = own(schema, '$ref');
  if (ref !== undefined) branches = both(branches, within(followRef(root, ref)));
  for (const part of listOf(schema, 'allOf')) branches = both(branches, within(part));
  for (const word of ['anyOf', 'oneOf']) {
    const parts = listOf(schema, word);
    if (parts.length > 0) branches = both(branches, parts.flatMap(within));
  }
  return branches;
}

function both(a: readonly Branch[], b: readonly Branch[]): readonly Branch[] {
  if (a.length * b.length > MOST_BRANCHES) return ANYTHING;
  return a.flatMap((one) => b.map((other) => [...one, ...other]));
}

export function kindsOfBranch(branch: Branch): Kinds {
  return branch.reduce<Kinds>((kinds, schema) => bothKinds(kinds, kindsBySchema(schema)), null);
}

export function kindsOfShape(shape: Shape): Kinds {
  return eitherKinds(branchesOf(shape).map(kindsOfBranch));
}

/** What is known of a part of a value: its shape, nothing at all, or that there is none. */
export type Part =
  | { readonly kind: 'shape'; readonly shape: Shape }
  | { readonly kind: 'open' }
  | { readonly kind: 'missing'; readonly keys: readonly string[] };

const OPEN: Part = { kind: 'open' };

/**
 * What a reference finds one step further. A result that lists its keys has no others, unless it says so with
 * `additionalProperties`: what nobody promises is nothing to build on.
 */
export function stepInto(shape: Shape, segment: Segment): Part {
  const parts = branchesOf(shape).map((branch) => stepIntoBranch(branch, segment, shape.root));
  const shapes = parts.flatMap((part) => (part.kind === 'shape' ? [part.shape.schema as Json] : []));
  if (parts.some((part) => part.kind === 'open')) return OPEN;
  if (shapes.length > 0) return shaped(shape.root, 'anyOf', shapes);
  const keys = parts.flatMap((part) => (part.kind === 'missing' ? part.keys : []));
  return { kind: 'missing', keys: [...new Set(keys)] };
}

function stepIntoBranch(branch: Branch, segment: Segment, root: JsonSchema): Part {
  const kinds = kindsOfBranch(branch);
  const key = String(segment);
  const isIndex = /^(?:0|[1-9]\d*)$/.test(key);
  const mayBeObject = kinds === null || kinds.has('object');
  const mayBeList = isIndex && (kinds === null || kinds.has('array'));
  if (!mayBeObject && !mayBeList) return { kind: 'missing', keys: [] };
  const found = branch.map((schema) =>
    mayBeObject && !mayBeList ? propertyOf(schema, key) : itemOf(schema, Number(key), mayBeObject),
  );
  if (found.includes(false)) return { kind: 'missing', keys: branch.flatMap(keysOf) };
  const schemas = found.filter((one) => isObject(one) || one === true);
  if (schemas.length > 0) return shaped(root, 'allOf', schemas as Json[]);
  if (found.includes('open') || !found.includes('unpromised')) return OPEN;
  return { kind: 'missing', keys: branch.flatMap(keysOf) };
}

/** A schema; false: there is none; unpromised: others are listed; open: said to be so; silent: not a word of it. */
type Found = JsonSchema | 'unpromised' | 'open' | 'silent';

function propertyOf(schema: JsonObject, key: string): Found {
  const properties = own(schema, 'properties');
  if (isObject(properties) && Object.hasOwn(properties, key)) return properties[key] as JsonSchema;
  if (own(schema, 'patternProperties') !== undefined) return 'open';
  const others = own(schema, 'additionalProperties');
  if (others === false || isObject(others)) return others;
  if (others === true) return 'open';
  return isObject(properties) && Object.keys(properties).length > 0 ? 'unpromised' : 'silent';
}

function itemOf(schema: JsonObject, index: number, mayBeObject: boolean): Found {
  if (mayBeObject && own(schema, 'type') !== 'array') return 'open';
  const first = listOf(schema, 'prefixItems');
  const item = index < first.length ? first[index] : own(schema, 'items');
  return isSchema(item) ? item : 'silent';
}

function keysOf(schema: JsonObject): string[] {
  const properties = own(schema, 'properties');
  return isObject(properties) ? Object.keys(properties) : [];
}

function shaped(root: JsonSchema, word: 'allOf' | 'anyOf', schemas: readonly Json[]): Part {
  const [only] = schemas;
  const schema = schemas.length === 1 && isSchema(only) ? only : { [word]: schemas };
  return { kind: 'shape', shape: { root, schema } };
}

export function listOf(schema: JsonObject, key: string): readonly Json[] {
  const list = own(schema, key);
  return Array.isArray(list) ? list : [];
}

/** Whether a value at this path, or something it is part of, is to be seen nowhere. */
export function isSecretAt(shape: Shape, path: readonly Segment[]): boolean {
  let here: Shape = shape;
  for (const step of [...path, null]) {
    if (branchesOf(here).some((branch) => branch.some((schema) => own(schema, 'x-secret') === true)))
      return true;
    const part = step === null ? OPEN : stepInto(here, step);
    if (part.kind !== 'shape') return false;
    here = part.shape;
  }
  return false;
}
