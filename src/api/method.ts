import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../core/error-codes.ts';
import type { Json } from '../core/json.ts';
import type { Role } from './roles.ts';

/** A call as it could be made, for people to read; tests hold it against the schemas. */
export type MethodExample<Params, Result> = {
  readonly name: string;
  readonly params: Params;
  readonly result: Result;
};

/** One method of the control API. The table of them is the only source of validation, types and documents. */
export type Method<Params extends TSchema = TSchema, Result extends TSchema = TSchema> = {
  /** One line, without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** The least role that may call it. */
  readonly role: Exclude<Role, 'bridge'>;
  /** An object: params are given by name. */
  readonly params: Params;
  readonly result: Result;
  /** What it can be answered with besides `commonErrors`. */
  readonly errors: readonly ErrorCode[];
  readonly examples: readonly MethodExample<Shape<Params>, Shape<Result>>[];
  /**
   * Params that the schema describes and the engine judges, `*` for unknown keys: it names everything that is wrong with
   * a definition at once.
   */
  readonly engine_judges?: readonly string[];
  /** It tells more after its answer, so it takes a connection that stays open. */
  readonly needs_connection?: true;
};

/** What fits a schema. Nobody changes what was received or answered. */
export type Shape<S extends TSchema> = Frozen<Static<S>>;

type Frozen<T> = Json extends T
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Frozen<T[Key]> }
      : T;

/** Keeps the exact types of the schemas, and checks the examples against them. */
export function method<Params extends TSchema, Result extends TSchema>(
  definition: Method<Params, Result>,
): Method<Params, Result> {
  return definition;
}

/** Any method may be answered with these. */
export const commonErrors = [
  'GLZ1012',
  'GLZ3001',
  'GLZ3002',
  'GLZ3003',
  'GLZ3004',
  'GLZ3005',
  'GLZ4001',
  'GLZ4002',
  'GLZ4003',
  'GLZ9001',
  'GLZ9002',
] as const satisfies readonly ErrorCode[];
