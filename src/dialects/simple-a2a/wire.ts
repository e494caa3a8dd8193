import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { type TranslationTrouble, translationError } from '../agent/translation-error.ts';

/** The name the dialect has in agent entries, logs and metrics. */
export const PROTOCOL = 'simple-a2a';

export function requestBody(task_id: string, input: Json): JsonObject {
  return { task_id, input };
}

export type SimpleAnswer = { readonly output: Json } | { readonly error: GleitzeitError };

const success = ['success', 'completed', 'ok'];
const failure = ['error', 'failed'];

/**
 * What an agent answered. Throws a translation error for what is no answer; a `task_id` that is not ours is noted in `odd` and does not count.
 * An agent that failed is final: it did its work, and the same task would be recognised as a repeat.
 */
export function readAnswer(body: Json, task_id: string, odd: string[]): SimpleAnswer {
  if (!isObject(body)) throw unreadable('shape', 'is no object', body);
  const status = own(body, 'status');
  if (status === undefined) throw unreadable('status', 'has no status field', body);
  if (typeof status !== 'string') throw unreadable('status', 'has a status that is no text', body);
  if (own(body, 'task_id') !== task_id)
    odd.push(`carries the task_id ${shown(own(body, 'task_id'))} instead of the request's`);
  const word = status.toLowerCase();
  if (success.includes(word)) return { output: (own(body, 'output') as Json | undefined) ?? null };
  const said = wordsOf(own(body, 'error'));
  const known = failure.includes(word) && said !== null;
  const message = known ? said : `Task status: ${status}`;
  return {
    error: new GleitzeitError('GLZ2010', message, {
      ...(said === null || known ? {} : { reason: said }),
      details: { status },
    }),
  };
}

/** An error may be a text, an object that has one, or anything else. */
export function wordsOf(error: unknown): string | null {
  if (error === undefined || error === null || error === '') return null;
  if (typeof error === 'string') return error;
  const message = isObject(error) ? own(error, 'message') : undefined;
  return typeof message === 'string' && message !== '' ? message : JSON.stringify(error);
}

export function unreadable(
  trouble: TranslationTrouble,
  reason: string,
  original_data: unknown,
): GleitzeitError {
  return translationError({ protocol: PROTOCOL, direction: 'response', trouble, reason, original_data });
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 100) ?? 'nothing';
}
