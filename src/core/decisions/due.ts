import { isAway } from '../away.ts';
import { type ErrorRecord, errorRecord } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import { type Waits, waitOf } from '../outside.ts';
import type { WaitRecord } from '../outside-record.ts';
import { unservedCall, waitsFor } from '../parked.ts';
import { rankOf } from '../priority.ts';
import type { TaskRow } from '../records.ts';
import { follow, isSettled } from '../task.ts';
import type { AnswerTo, WriteOf } from '../writes.ts';
import { giveUp } from './away.ts';
import { abandonedOf, findTask } from './control.ts';
import { parkedNow } from './lease.ts';
import { goOn } from './outside-wait.ts';
import { fail, outOfTime } from './settle.ts';

/** How long what waits for a provider is left to engines that may have one; each looks at least every second. */
const LEFT_TO_OTHERS_MS = 2000;
const LEFT_ASIDE_MS = 3000;

/**
 * Retries whose time has come go to the queue, and so does what was left aside for want of a provider; tasks whose total
 * timeout ran out fail, and calls that were handed over are waited for no longer. Each is read when its turn comes: one that fails may have changed the counts of the next.
 */
export function wakeDue(ledger: Ledger, write: WriteOf<'wake_due'>): AnswerTo<'wake_due'> {
  const due = ledger.dueTasks(write.limit);
  const ended: TaskRow[] = [];
  const givenUp: TaskRow[] = [];
  let moved = 0;
  for (const { task_id } of due.items) {
    const task = findTask(ledger, task_id);
    const waits = waitOf(task);
    if (task.expires_at !== null && task.expires_at <= ledger.now)
      fail(ledger, task, outOfTime(task.total_timeout, task.error, waitsFor(task)));
    else if (waits !== null) endWait(ledger, task, waits);
    else if (isAway(task)) giveUp(ledger, task);
    else if (task.status !== 'queued') enqueueAgain(ledger, task);
    else if (!backInLine(ledger, task, write.unserved ?? [])) continue;
    moved++;
    if (isSettled(findTask(ledger, task_id).status)) ended.push(task);
    else if (isAway(task)) givenUp.push(task);
  }
  const next = [ledger.nextDue(), ...givenUp.map(({ task_id }) => findTask(ledger, task_id).due_at)];
  const next_in_ms = soonest(next, ledger.now);
  return { moved, more: due.more && moved > 0, next_in_ms, ...abandonedOf(ended, givenUp) };
}

/** What was given up may be due again at once. */
function soonest(times: readonly (number | null)[], now: number): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known) - now;
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

/** Nobody outside has answered in time. */
function endWait(ledger: Ledger, task: TaskRow, { attempt, wait }: Waits): void {
  if (wait.late === 'resume') goOn(ledger, task, 'unanswered');
  else fail(ledger, task, unanswered(attempt, wait));
}

function unanswered(attempt: number, { kind }: WaitRecord): ErrorRecord {
  const nothing = kind === 'notification' ? 'no notification came' : 'nobody answered';
  return errorRecord('GLZ2003', `${nothing} in the time that attempt ${attempt} gave`, { attempt });
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
