import { parkedIn } from '../advance.ts';
import type { Ledger } from '../ledger.ts';
import { parkedFor } from '../parked.ts';
import type { TaskRow } from '../records.ts';
import type { AnswerTo, Lease, WriteOf } from '../writes.ts';
import { pausedNow } from './queue.ts';

/** The task, if whoever writes still holds it (invariant 2: a late outcome from a dead lease is refused). */
export function held(ledger: Ledger, lease: Lease): TaskRow | null {
  const task = ledger.task(lease.task_id);
  return task !== null && task.owner === lease.owner && task.fence === lease.fence ? task : null;
}

/** Claims that were never started go back to where they stood in the queue. */
export function release(ledger: Ledger, write: WriteOf<'release'>): AnswerTo<'release'> {
  let released = 0;
  for (const { task_id, fence } of write.leases) {
    const task = held(ledger, { task_id, owner: write.owner, fence });
    if (task === null || task.status !== 'queued') continue;
    const back: TaskRow = { ...task, owner: null, parked: parkedNow(ledger, task) };
    ledger.putTask(setAside(ledger, back, write));
    released++;
  }
  return { released };
}

function setAside(ledger: Ledger, task: TaskRow, { line, unserved }: WriteOf<'release'>): TaskRow {
  if (line !== undefined) return { ...task, parked: task.parked ?? line, due_at: task.expires_at };
  return unserved === undefined ? task : leftAside(ledger, task, unserved);
}

/** In line it would be claimed by the same engine again. It is due at once, for an engine that has the provider. */
function leftAside(ledger: Ledger, task: TaskRow, method: string): TaskRow {
  return { ...task, parked: task.parked ?? parkedFor(method), due_at: ledger.now };
}

/** Why a task that goes back to the queue may not be claimed at once, or null. */
export function parkedNow(ledger: Ledger, task: TaskRow): string | null {
  return task.workflow_id === null ? null : parkedIn(ledger.runOf(task.workflow_id).status);
}

export function join(ledger: Ledger, write: WriteOf<'join'>): AnswerTo<'join'> {
  putEngine(ledger, write);
  return { ttl_ms: ledger.exclusive ? null : write.ttl_ms, paused: pausedNow(ledger) };
}

/** An engine that was given up cannot come back under the same name: its tasks may run elsewhere already. */
export function beat(ledger: Ledger, write: WriteOf<'beat'>): AnswerTo<'beat'> {
  if (ledger.engine(write.owner) === null) return { alive: false };
  putEngine(ledger, write);
  return { alive: true };
}

export function leave(ledger: Ledger, write: WriteOf<'leave'>): AnswerTo<'leave'> {
  ledger.removeEngine(write.owner);
  return {};
}

function putEngine(ledger: Ledger, write: { owner: string; ttl_ms: number }): void {
  const alive_until = ledger.exclusive ? Number.MAX_SAFE_INTEGER : ledger.now + write.ttl_ms;
  ledger.putEngine({ owner: write.owner, alive_until });
}
