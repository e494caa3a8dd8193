import { errorCodes } from '../error-codes.ts';
import type { ErrorRecord } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import { rankOf } from '../priority.ts';
import type { TaskRow } from '../records.ts';
import { decideRetry } from '../retry.ts';
import { follow } from '../task.ts';
import type { AnswerTo, WriteOf } from '../writes.ts';
import { findTask } from './control.ts';
import { parkedNow } from './lease.ts';
import { endAttempt, fail, outOfTime, retryConfigOf } from './settle.ts';

/**
 * Retries whose time has come go to the queue; tasks whose total timeout ran out fail. Each is read when its
 * turn comes: one that fails may have changed the counts of the next.
 */
export function wakeDue(ledger: Ledger, write: WriteOf<'wake_due'>): AnswerTo<'wake_due'> {
  const due = ledger.dueTasks(write.limit);
  for (const { task_id } of due.items) {
    const task = findTask(ledger, task_id);
    if (task.expires_at === null || task.expires_at > ledger.now) enqueueAgain(ledger, task);
    else fail(ledger, task, outOfTime(task.total_timeout, task.error));
  }
  const next = ledger.nextDue();
  return {
    moved: due.items.length,
    more: due.more,
    next_in_ms: next === null ? null : next - ledger.now,
  };
}

function enqueueAgain(ledger: Ledger, task: TaskRow): void {
  const row: TaskRow = {
    ...task,
    status: follow('become_due', task.status),
    rank: rankOf(task.priority, ledger.now),
    parked: parkedNow(ledger, task),
    due_at: task.expires_at,
  };
  ledger.putTask(row);
  ledger.tell(row, 'task:queued', { reason: 'due' });
}

/** Takes tasks from engines that are gone. Their leases are dead from now on, whatever they still write. */
export function rescue(ledger: Ledger, write: WriteOf<'rescue'>): AnswerTo<'rescue'> {
  const lost = ledger.lostTasks(write.limit);
  for (const { task_id } of lost.items) takeBack(ledger, findTask(ledger, task_id));
  for (const { owner } of ledger.lostEngines()) ledger.removeEngine(owner);
  return { rescued: lost.items.length, more: lost.more };
}

function takeBack(ledger: Ledger, task: TaskRow): void {
  if (task.status === 'queued') {
    ledger.putTask({ ...task, owner: null, suspect: true, parked: parkedNow(ledger, task) });
    return;
  }
  const error = interrupted(task);
  // It goes on at once, so there is no delay that its budget would have to cover.
  const config = { ...retryConfigOf(ledger, task), initial_delay: 0 };
  const decision = decideRetry(config, {
    attempt: task.attempt_count - task.attempt_base,
    first_started_at: task.budget_from ?? ledger.now,
    now: ledger.now,
    error,
    chance: 0,
  });
  if (!decision.retry) fail(ledger, task, error);
  else requeue(ledger, task, error);
}

/** At once and at its old place: the task is not to blame for the delay. */
function requeue(ledger: Ledger, task: TaskRow, error: ErrorRecord): void {
  const row: TaskRow = {
    ...endAttempt(ledger, task, error),
    status: follow('rescue', task.status),
    suspect: true,
    parked: parkedNow(ledger, task),
    due_at: task.expires_at,
    error,
  };
  ledger.putTask(row);
  ledger.tell(row, 'task:interrupted', { attempt: row.attempt_count, error });
  ledger.tell(row, 'task:queued', { reason: 'rescued' });
}

function interrupted(task: TaskRow): ErrorRecord {
  return {
    code: errorCodes.GLZ2008.rpc,
    message: `the engine that ran attempt ${task.attempt_count} stopped before it ended`,
    data: { error_code: 'GLZ2008' },
  };
}

/** Only claims can be lost on the way to their engine, and those have not started. */
export function reconcile(ledger: Ledger, write: WriteOf<'reconcile'>): AnswerTo<'reconcile'> {
  const stored = ledger.heldTasks(write.owner);
  const held = new Map(write.held.map(({ task_id, fence }) => [task_id, fence]));
  const owned = new Map(stored.map(({ task_id, fence }) => [task_id, fence]));
  const unknown = stored.filter((task) => held.get(task.task_id) !== task.fence);
  for (const { task_id } of unknown) takeBack(ledger, findTask(ledger, task_id));
  return {
    released: unknown.length,
    gone: write.held.filter(({ task_id, fence }) => owned.get(task_id) !== fence),
  };
}

export function prune(ledger: Ledger, write: WriteOf<'prune'>): AnswerTo<'prune'> {
  const old = ledger.prunable(ledger.now - write.keep_ms, write.limit);
  for (const key of old.items) ledger.prune(key);
  return { removed: old.items.length, more: old.more };
}
