import type { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { translationError } from '../agent/translation-error.ts';
import { PROTOCOL, type Said } from './wire/model.ts';

function namedIn(said: Said): string {
  if (said.is === 'task') return said.task.id;
  return (said.is === 'message' ? said.message.task_id : said.task_id) ?? '';
}

/** Agents leave out which task they mean; where they name one, it has to be the one that was meant. */
export function isOfOther(said: Said, task_id: string): boolean {
  const named = namedIn(said);
  return named !== '' && task_id !== '' && named !== task_id;
}

/** In words that follow "the answer". */
export function aboutOther(said: Said, task_id: string): string {
  return `is about the task ${JSON.stringify(namedIn(said).slice(0, 100))} instead of "${task_id}"`;
}

/** What it shows may be what somebody else was told. */
export function mixedUp(said: Said, task_id: string, original_data: Json): GleitzeitError {
  const reason = aboutOther(said, task_id);
  return translationError({
    protocol: PROTOCOL,
    direction: 'response',
    trouble: 'id',
    reason,
    original_data,
  });
}
