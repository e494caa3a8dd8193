import { isObject, type Json, own } from '../core/json.ts';
import type { WrongAnswer } from './spec.ts';

const NOT_JSON = '<html><body>an answer that is no JSON</body></html>';

/** A text to put in the place of an answer. */
export function wrongText(how: WrongAnswer, answer: string): string {
  if (how === 'empty') return '';
  if (how === 'not_json') return NOT_JSON;
  if (how === 'truncated') return answer.slice(0, Math.floor(answer.length / 2));
  const said = objectIn(answer);
  if (how === 'other_id') {
    const name = nameOf(said);
    return JSON.stringify({ ...said, [name]: otherId(own(said, name)) });
  }
  const error = { code: -32603, message: 'an error in the place of the answer' };
  return JSON.stringify({ jsonrpc: '2.0', id: own(said, 'id') ?? null, error });
}

/** By what an answer says which call it is to. */
function nameOf(said: { readonly [key: string]: Json }): 'id' | 'task_id' {
  return own(said, 'id') === undefined && own(said, 'task_id') !== undefined ? 'task_id' : 'id';
}

function otherId(id: unknown): string {
  return `not-${typeof id === 'string' || typeof id === 'number' ? id : 'asked'}`;
}

/** What is no object has no id that could be another. */
function objectIn(text: string): { readonly [key: string]: Json } {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : bare;
  } catch {
    return bare;
  }
}

const bare = { jsonrpc: '2.0', result: null };
