import { isObject, type Json } from '../../core/json.ts';
import { bytesOf, measure, textOf } from '../../rpc/guard.ts';
import type { RpcId } from '../../rpc/messages.ts';
import { isLegalId } from '../../rpc/messages.ts';
import { METHOD } from './envelope.ts';
import { type Fault, fault, unparseable } from './faults.ts';

/** A question as JSON-RPC has it: nothing is known yet of what it says. */
export type RawRequest = {
  readonly id: string | number;
  readonly envelope: Json | undefined;
  readonly payload: Json | undefined;
};

/** `malformed`: answered with HTTP 400, by an error object all the same. */
export type Unreadable = {
  readonly fault: Fault;
  readonly id: RpcId;
  readonly malformed: boolean;
  readonly envelope?: Json | undefined;
};

/** Deeper than any move, and far from what would hurt whoever walks it. */
export const MAX_DEPTH = 64;

/** Answers are remembered by it. */
export const LONGEST_RPC_ID = 256;

/** HTTP's body, as JSON-RPC, with the method that there is. */
export function readRequest(body: Uint8Array | string): RawRequest | Unreadable {
  if (measure(bytesOf(body), MAX_DEPTH) < 0)
    return malformed(`the body is nested deeper than ${MAX_DEPTH} levels, or has too many parts`);
  try {
    return asRequest(JSON.parse(textOf(body)) as Json);
  } catch {
    return { fault: unparseable, id: null, malformed: true };
  }
}

export function asRequest(message: Json): RawRequest | Unreadable {
  if (Array.isArray(message)) return malformed('the league takes no batches');
  if (!isObject(message)) return malformed('a request is an object');
  const { jsonrpc, id, method, params } = message;
  const known = isLegalId(id) && String(id).length <= LONGEST_RPC_ID ? id : null;
  if (jsonrpc !== '2.0') return malformed('jsonrpc must be the text "2.0"', known);
  if (typeof method !== 'string') return malformed('method must be a text', known);
  if (params !== undefined && (typeof params !== 'object' || params === null))
    return malformed('params must be an object', known);
  if (id === undefined) return malformed('id is missing: every question of the league is answered');
  if (!isLegalId(id) || id === null) return malformed('id must be a text or a number');
  if (typeof id === 'string' && id.length > LONGEST_RPC_ID)
    return malformed(`id is longer than ${LONGEST_RPC_ID} characters`);
  const envelope = isObject(params) ? params['envelope'] : undefined;
  if (method !== METHOD)
    return { fault: fault('INVALID_METHOD', `the method is ${METHOD}`), id, malformed: false, envelope };
  return { id, envelope, payload: isObject(params) ? params['payload'] : undefined };
}

function malformed(details: string, id: RpcId = null): Unreadable {
  return { fault: fault('INVALID_JSON_RPC', details), id, malformed: true };
}
