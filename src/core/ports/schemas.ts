import type { Json, JsonObject } from '../json.ts';

export type ParamsCall = {
  readonly protocol: string;
  readonly method: string;
  readonly params: JsonObject;
  /** `template`: the params may still hold references, so what they could become is not judged yet. */
  readonly stage: 'template' | 'final';
};

export type ResultCall = { readonly protocol: string; readonly method: string; readonly result: Json };

/** JSON pointers, with `*` for the items of a list and the values of a map. A pointer covers all that lies under it. */
export type SecretFields = { readonly params: readonly string[]; readonly result: readonly string[] };

/** What the protocols say about params and results. Errors name fields as JSON pointers from the task: `/params/query`. */
export interface Schemas {
  /** The params with defaults applied; the object handed in stays as it is. Throws GLZ1003, GLZ1004, GLZ1005. */
  checkParams(call: ParamsCall): JsonObject;
  /** Throws GLZ2005. */
  checkResult(call: ResultCall): void;
  /** The fields marked `x-secret: true`. */
  secrets(protocol: string, method: string): SecretFields;
  has(protocol: string): boolean;
}
