import type { Json, JsonObject } from '../core/json.ts';

/** `null` is legal and discouraged: it is answered, but whoever sends it cannot tell two answers apart. */
export type RpcId = string | number | null;
export type RpcParams = JsonObject | readonly Json[];
export type RpcErrorObject = { readonly code: number; readonly message: string; readonly data?: Json };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** A result that is JSON text already, so that what the store kept as text is not parsed and written again. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * An error a handler answers with in the words of its own protocol, whose codes are not ours (A2A, MCP). Returned, not
 * thrown: everything thrown is an error of ours or a mistake.
 */
export class RpcFailure {
  readonly error: RpcErrorObject;

  constructor(error: RpcErrorObject) {
    this.error = error;
  }
}

/** Numbers past 2^53 arrive as another number, and one that is too large as no number at all: neither can be given back. */
export function isLegalId(id: unknown): id is RpcId {
  if (typeof id === 'string' || id === null) return true;
  return typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER;
}

/** The text of a request. Without an id it is a notification. */
export function requestText(message: {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: RpcParams | undefined;
}): string {
  const head = `{"jsonrpc":"2.0"${message.id === undefined ? '' : `,"id":${JSON.stringify(message.id)}`}`;
  const params = message.params === undefined ? '' : `,"params":${JSON.stringify(message.params)}`;
  return `${head},"method":${JSON.stringify(message.method)}${params}}`;
}

/** `id` and `result` are JSON text. The order of the members is the one of the specification's examples. */
export function resultText(id: string, result: string): string {
  return `{"jsonrpc":"2.0","result":${result},"id":${id}}`;
}

export function errorText(id: string, error: string): string {
  return `{"jsonrpc":"2.0","error":${error},"id":${id}}`;
}
