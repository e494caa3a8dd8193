import type { Json } from '../core/json.ts';
import type { RpcErrorObject } from '../rpc/messages.ts';

export type Answer = { readonly result: Json } | { readonly error: RpcErrorObject };

/** What a server may send. */
export type Message =
  | { readonly kind: 'answer'; readonly id: unknown; readonly answer: Answer }
  | {
      readonly kind: 'notification';
      readonly method: string;
      readonly params: Readonly<Record<string, Json>>;
    };

/** Null for what is no message of JSON-RPC. */
export function readMessage(text: string): Message | null {
  const message = parse(text);
  if (!isObject(message)) return null;
  const { method, id, result, error, params } = message;
  if (typeof method === 'string')
    return id === undefined ? { kind: 'notification', method, params: isObject(params) ? params : {} } : null;
  if (error !== undefined) return isError(error) ? { kind: 'answer', id, answer: { error } } : null;
  return result === undefined ? null : { kind: 'answer', id, answer: { result } };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isError(error: Json): error is RpcErrorObject {
  return isObject(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string';
}
