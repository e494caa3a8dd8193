import { isObject, type Json, own } from '../../../core/json.ts';
import { asAnswer } from '../../../rpc/answers.ts';
import type { RpcAnswer } from '../../../rpc/channel.ts';
import { translationError } from '../../agent/translation-error.ts';
import { PROTOCOL } from './model.ts';

/**
 * What stands in the envelope of an answer or of one event of a stream. Throws a translation error for what is no answer
 * to this request. `id: null` with an error can only mean this request; a number where we sent the same as text is a
 * careless agent that means it too.
 */
export function readEnvelope(message: Json, id: string | number): RpcAnswer {
  if (!isObject(message)) throw unreadable('envelope', 'is no object', message);
  if (own(message, 'jsonrpc') === undefined) throw unreadable('envelope', 'has no jsonrpc field', message);
  if (own(message, 'jsonrpc') !== '2.0')
    throw unreadable('version', `says jsonrpc ${written(message['jsonrpc'])} instead of "2.0"`, message);
  const answered = own(message, 'id') as Json | undefined;
  if (answered === undefined) throw unreadable('envelope', 'has no id field', message);
  const answer = asAnswer(message);
  if ('invalid' in answer) throw unreadable('envelope', answer.invalid, message);
  const ours = answered === null ? 'error' in answer : String(answered) === String(id);
  if (!ours) throw unreadable('id', `carries the id ${written(answered)} instead of the request's`, message);
  return answer;
}

function written(value: Json | undefined): string {
  return JSON.stringify(value)?.slice(0, 100) ?? 'nothing';
}

function unreadable(trouble: 'envelope' | 'version' | 'id', reason: string, original_data: Json) {
  return translationError({ protocol: PROTOCOL, direction: 'response', trouble, reason, original_data });
}
