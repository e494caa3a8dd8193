import type { Ledger } from '../ledger.ts';
import type { TaskRow } from '../records.ts';
import { decideRetry } from '../retry.ts';
import type { AnswerTo, WriteOf } from '../writes.ts';
import { findTask } from './control.ts';
import { interruption, requeue } from './end-attempt.ts';
import { parkedNow } from './lease.ts';
import { fail, retryConfigOf } from './settle.ts';

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
  const error = interruption(task);
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
  else requeue(ledger, task, { counts: true });
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
