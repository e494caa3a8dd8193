import type { TaskRow } from './records.ts';

/**
 * Names one try at a task for ever: whatever is said of it by whomever can be held against it, without a lease. Attempts
 * are counted on when a person reopens a task, but one that had not started by then is counted again: hence `generation`.
 */
export type AttemptName = Pick<TaskRow, 'task_id' | 'generation'> & { readonly attempt: number };

const WRITTEN = /^([^/]+)\/([1-9]\d{0,9})(?:\.([1-9]\d{0,9}))?$/;

/** As it travels: `<task_id>/<attempt>`, and `.<generation>` behind it once a person has reopened the task. */
export function correlationId({ task_id, generation, attempt }: AttemptName): string {
  return generation === 0 ? `${task_id}/${attempt}` : `${task_id}/${attempt}.${generation}`;
}

/** Null for what is no name of ours. */
export function readCorrelationId(text: string): AttemptName | null {
  const [, task_id, attempt, generation = 0] = WRITTEN.exec(text) ?? [];
  if (task_id === undefined) return null;
  return { task_id, attempt: Number(attempt), generation: Number(generation) };
}
