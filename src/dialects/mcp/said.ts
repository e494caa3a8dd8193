import type { Json, JsonObject } from '../../core/json.ts';
import type { RpcErrorObject } from '../../rpc/messages.ts';

/** What came back for one request, whatever carried it. */
export type Said = {
  /** The JSON-RPC answer; null where an HTTP status came without one. */
  readonly answer: { readonly result: Json } | { readonly error: RpcErrorObject } | null;
  /** HTTP only. */
  readonly status: number | null;
  /** The beginning of a body that is no answer, for people and for recognising what it complains of. */
  readonly text: string;
  /** The session that the answer names. */
  readonly session: string | null;
  readonly retry_after_ms?: number;
};

export type Note = { readonly method: string; readonly params: JsonObject };

export function errorIn(said: Said): RpcErrorObject | null {
  return said.answer !== null && 'error' in said.answer ? said.answer.error : null;
}
