import type { Ledger } from '../ledger.ts';
import { unservedCall } from '../parked.ts';
import { rankOf } from '../priority.ts';
import type { TaskRow } from '../records.ts';
import { follow } from '../task.ts';
import type { AnswerTo, WriteOf } from '../writes.ts';
import { findTask } from './control.ts';
import { parkedNow } from './lease.ts';
import { fail, outOfTime } from './settle.ts';

/** How long what waits for a provider is left to engines that may have one; each looks at least every second. */
const LEFT_TO_OTHERS_MS = 2000;
const LEFT_ASIDE_MS = 3000;

/**
 * Retries whose time has come go to the queue, and so does what was left aside for want of a provider; tasks whose total
 * timeout ran out fail. Each is read when its turn comes: one that fails may have changed the counts of the next.
 */
export function wakeDue(ledger: Ledger, write: WriteOf<'wake_due'>): AnswerTo<'wake_due'> {
  const due = ledger.dueTasks(write.limit);
  let moved = 0;
  for (const { task_id } of due.items) {
    const task = findTask(ledger, task_id);
    if (task.expires_at !== null && task.expires_at <= ledger.now)
      fail(ledger, task, outOfTime(task.total_timeout, task.error));
    else if (task.status !== 'queued') enqueueAgain(ledger, task);
    else if (!backInLine(ledger, task, write.unserved ?? [])) continue;
    moved++;
  }
  const next = ledger.nextDue();
  return { moved, more: due.more && moved > 0, next_in_ms: next === null ? null : next - ledger.now };
}

/**
 * A task that waits for a provider takes its old place in line again. An engine without one leaves it to others for a
 * while, and then for another while: what nobody can run must not stand before all else that is due.
 */
function backInLine(ledger: Ledger, task: TaskRow, unserved: readonly string[]): boolean {
  const call = unservedCall(task);
  if (call === null || !unserved.includes(call)) {
    ledger.putTask({ ...task, parked: parkedNow(ledger, task), due_at: task.expires_at });
    return true;
  }
  if (task.due_at !== null && task.due_at + LEFT_TO_OTHERS_MS > ledger.now) return false;
  const again = ledger.now + LEFT_ASIDE_MS;
  ledger.putTask({ ...task, due_at: Math.min(again, task.expires_at ?? again) });
  return true;
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
