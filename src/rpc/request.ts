import { isObject } from '../core/json.ts';
import { isLegalId, type RpcId, type RpcParams } from './messages.ts';
import type { RpcPolicy } from './policy.ts';

export type RpcRequest = {
  readonly method: string;
  readonly params?: RpcParams | null;
  /** Absent in a notification. */
  readonly id?: RpcId;
};

/** The message as a request, or the rule it breaks. Members the specification does not know are none of our business. */
export function asRequest(message: unknown, policy: RpcPolicy): RpcRequest | string {
  if (!isObject(message)) return 'a request is an object';
  if (message['jsonrpc'] !== '2.0') return 'jsonrpc must be the text "2.0"';
  if (typeof message['method'] !== 'string') return 'method must be a text';
  const params = message['params'];
  const structured = params === null ? policy.null_params === 'accepted' : typeof params === 'object';
  if (!structured && params !== undefined) return 'params must be an object or an array, or be left out';
  const id = message['id'];
  if (id !== undefined && !isLegalId(id)) return illegalId(id);
  if (id === null && policy.null_id === 'refused') return 'id must not be null';
  return message as RpcRequest;
}

function illegalId(id: unknown): string {
  return typeof id === 'number'
    ? 'an id past 2^53 cannot be given back exactly; send it as a text'
    : 'id must be a text, a number or null';
}

/** JSON text of the id that an invalid request is answered with. */
export function idOfInvalid(message: unknown, policy: RpcPolicy): string {
  if (policy.invalid_request_id === 'null' || !isObject(message)) return 'null';
  const id = message['id'];
  return id !== undefined && isLegalId(id) ? JSON.stringify(id) : 'null';
}
