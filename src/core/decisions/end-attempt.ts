import { errorCodes } from '../error-codes.ts';
import type { ErrorRecord } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import { withoutLeft } from '../outside.ts';
import { withoutProgress } from '../progress.ts';
import type { TaskRow } from '../records.ts';
import { follow } from '../task.ts';
import { parkedNow } from './lease.ts';

/** The task as nobody holds it any more, its running attempt closed. It ended by itself, and leaves nothing to the next. */
export function endAttempt(ledger: Ledger, task: TaskRow, error: ErrorRecord | null): TaskRow {
  const ended = cutAttempt(ledger, task, error);
  return { ...ended, attempts: withoutLeft(ended.attempts) };
}

/** The same for one that goes on in the next: what it kept, and what came from outside, is left to that one. */
export function cutAttempt(ledger: Ledger, task: TaskRow, error: ErrorRecord | null): TaskRow {
  const last = task.attempts.at(-1);
  const running = last !== undefined && last.ended_at === null;
  const attempts = running
    ? [...task.attempts.slice(0, -1), { ...withoutProgress(last), ended_at: ledger.now, error }]
    : task.attempts;
  // An attempt that found no provider, or no params, did not put the task to the test.
  const called = running && last.provider !== null;
  return { ...task, owner: null, parked: null, due_at: null, suspect: task.suspect && !called, attempts };
}

/**
 * Back at once and at its old place: the task is not to blame for the delay. Where its engine was lost the attempt
 * counts, so that a task that kills its engine each time is stopped at last.
 */
export function requeue(ledger: Ledger, task: TaskRow, { counts }: { counts: boolean }): TaskRow {
  const error = interruption(task);
  const ended = cutAttempt(ledger, task, error);
  const row: TaskRow = {
    ...ended,
    status: follow('rescue', task.status),
    attempt_base: task.attempt_base + (counts ? 0 : 1),
    suspect: counts || ended.suspect,
    parked: parkedNow(ledger, task),
    due_at: task.expires_at,
    error,
  };
  ledger.putTask(row);
  ledger.tell(row, 'task:interrupted', { attempt: row.attempt_count, error, ...(counts ? {} : { counts }) });
  ledger.tell(row, 'task:queued', { reason: 'rescued' });
  return row;
}

export function interruption(task: TaskRow): ErrorRecord {
  return {
    code: errorCodes.GLZ2008.rpc,
    message: `the engine that ran attempt ${task.attempt_count} stopped before it ended`,
    data: { error_code: 'GLZ2008' },
  };
}
