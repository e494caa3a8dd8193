import type { AttemptName } from './attempt-name.ts';
import { lastProvider } from './outside.ts';
import { awayProvider } from './parked.ts';
import type { TaskRow } from './records.ts';

/** Whether a call of the task was handed over and is with somebody else: no engine holds it, and none can lose it. */
export function isAway(task: Pick<TaskRow, 'status' | 'owner' | 'attempts'>): boolean {
  return task.owner === null && (task.status === 'routed' || isRunning(task));
}

/**
 * The number of the attempt whose answer would be taken now, whoever brings it; null where none would. One that is queued
 * may have been handed over by an engine that did not come to write that down.
 */
export function currentAttempt(task: Pick<TaskRow, 'status' | 'attempts' | 'attempt_count'>): number | null {
  if (task.status === 'queued' || task.status === 'routed') return task.attempt_count + 1;
  return isRunning(task) ? task.attempt_count : null;
}

/** Whether this is the attempt that the task is at. */
export function isCurrent(task: TaskRow, { generation, attempt }: AttemptName): boolean {
  return task.generation === generation && currentAttempt(task) === attempt;
}

/** Whom the call that is away was routed to. */
export function calledProvider(task: Pick<TaskRow, 'parked' | 'attempts'>): string | null {
  return awayProvider(task.parked) ?? lastProvider(task.attempts);
}

/** A task that waits for a service to call back is `executing` as well, but its attempt has ended. */
function isRunning({ status, attempts }: Pick<TaskRow, 'status' | 'attempts'>): boolean {
  return status === 'executing' && attempts.at(-1)?.ended_at === null;
}
