import { isObject, type JsonObject } from '../../core/json.ts';
import { asAnswer, readMessage } from '../../rpc/answers.ts';
import type { RpcAnswer } from '../../rpc/channel.ts';
import { unread, unusable } from '../../rpc/correlate.ts';
import { answerLimits } from '../provider-type.ts';
import type { Note } from './said.ts';

/** One message of a stream, by what is to be done with it. */
export type Heard =
  | { readonly is: 'answer'; readonly id: unknown; readonly answer: RpcAnswer }
  | { readonly is: 'note'; readonly note: Note }
  | { readonly is: 'request'; readonly id: string | number; readonly note: Note }
  | { readonly is: 'nothing' };

/** What stands in one event. Throws GLZ2005 for an answer that is none. */
export function readEvent(data: string): Heard {
  // The first event of a stream may be empty: it only tells its id.
  if (data.trim() === '') return { is: 'nothing' };
  const read = readMessage(data, answerLimits.max_depth);
  if ('invalid' in read) throw unread(read);
  if (!isObject(read.value)) throw unusable('is no object');
  return sorted(read.value);
}

function sorted(message: JsonObject): Heard {
  const { id, method, params } = message;
  if (typeof method === 'string') {
    const note = { method, params: isObject(params) ? params : {} };
    if (id === undefined) return { is: 'note', note };
    return typeof id === 'string' || typeof id === 'number' ? { is: 'request', id, note } : { is: 'nothing' };
  }
  const answer = asAnswer(message);
  if ('invalid' in answer) throw unusable(answer.invalid);
  return { is: 'answer', id, answer };
}
