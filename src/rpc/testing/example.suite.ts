import { expect } from 'vitest';

/** What a server says to a request: a value to compare with, or `nothing`. */
export type Example = readonly [name: string, request: string, reply: unknown];

export const nothing = Symbol('nothing');

export function result(value: unknown, id: unknown): unknown {
  return { jsonrpc: '2.0', result: value, id };
}

export function error(code: number, id: unknown): unknown {
  return { jsonrpc: '2.0', error: expect.objectContaining({ code, message: expect.any(String) }), id };
}

/** What `get_data` answers. */
export function data(id: unknown): unknown {
  return result(['hello', 5], id);
}
