import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { RpcAnswer } from './channel.ts';
import { bytesOf, measure, TOO_DEEP, TOO_MANY, textOf } from './guard.ts';
import type { RpcErrorObject } from './messages.ts';

/** What arrived instead of an answer, in words that follow "the answer". */
export type Unusable = {
  readonly invalid: string;
  /** It may be an answer, and is more than is taken: another call may have a smaller one. */
  readonly past_bounds?: true;
};

export const NO_JSON = 'is no JSON';

/** One whole message, parsed, unless there is too much of it or it is no JSON. */
export function readMessage(body: Uint8Array | string, maxDepth: number): { value: Json } | Unusable {
  const members = measure(bytesOf(body), maxDepth);
  if (members === TOO_DEEP) return { invalid: `is nested deeper than ${maxDepth} levels`, past_bounds: true };
  if (members === TOO_MANY) return { invalid: 'has too many keys, objects and lists', past_bounds: true };
  try {
    return { value: JSON.parse(textOf(body)) as Json };
  } catch {
    return { invalid: NO_JSON };
  }
}

/** The answer to the one call of an exchange. `id: null` with an error can only mean this call (C5). */
export function readAnswer(
  body: Uint8Array | string,
  id: string | number,
  maxDepth: number,
): RpcAnswer | Unusable {
  const read = readMessage(body, maxDepth);
  if ('invalid' in read) return read;
  if (!isObject(read.value)) return { invalid: 'is no object' };
  const answer = asAnswer(read.value);
  if ('invalid' in answer) return answer;
  const answered = read.value['id'];
  const ours = answered === id || (answered === null && 'error' in answer);
  return ours ? answer : { invalid: 'carries another id than the call' };
}

/** Exactly one of result and error (C4); what else stands there does not matter. */
export function asAnswer(message: JsonObject): RpcAnswer | Unusable {
  if (message['jsonrpc'] !== '2.0') return { invalid: 'does not say jsonrpc "2.0"' };
  const { result, error } = message;
  if (result !== undefined && error !== undefined) return { invalid: 'has both a result and an error' };
  if (result !== undefined) return { result };
  if (error === undefined) return { invalid: 'has neither a result nor an error' };
  const trouble = errorTrouble(error);
  return trouble === null ? { error: error as RpcErrorObject } : { invalid: trouble };
}

function errorTrouble(error: Json): string | null {
  if (!isObject(error)) return 'has an error that is no object';
  if (!Number.isInteger(error['code'])) return 'has an error whose code is no integer';
  return typeof error['message'] === 'string' ? null : 'has an error whose message is no text';
}
