import { isObject, type Json } from '../../core/json.ts';
import type { Success } from '../contract/methods.ts';

/**
 * What a task ended with, as the other zone reads it. A result that has a `response_text` is answered with all its members;
 * a text is the text; anything else is written as JSON.
 */
export function replyOf(result: Json): Success {
  if (typeof result === 'string') return { status: 'success', response_text: result };
  if (!isObject(result)) return { status: 'success', response_text: JSON.stringify(result) };
  const { response_text, text } = result;
  if (typeof response_text === 'string') return { ...result, response_text, status: 'success' };
  if (typeof text === 'string') return { status: 'success', response_text: text };
  return { status: 'success', response_text: JSON.stringify(result) };
}
