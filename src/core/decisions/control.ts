import { parkedIn } from '../advance.ts';
import { calledProvider, currentAttempt, isAway } from '../away.ts';
import { cancellation, GleitzeitError } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import { noRun, noTask } from '../not-there.ts';
import { isInLine } from '../parked.ts';
import type { RunRow, TaskRow } from '../records.ts';
import { isRunSettled } from '../run.ts';
import { follow, isSettled } from '../task.ts';
import type { Abandoned, AbandonedAttempt, AbandonedWork, AnswerTo, WriteOf } from '../writes.ts';
import { endAttempt } from './end-attempt.ts';
import { propagate } from './propagate.ts';

/** What has settled stays as it is: cancelling it again changes nothing and is no error. */
export function cancelTask(ledger: Ledger, write: WriteOf<'cancel_task'>): AnswerTo<'cancel_task'> {
  const task = findTask(ledger, write.task_id);
  if (isSettled(task.status)) return { status: task.status, cancelled: false };
  const row = cancelOne(ledger, task, write.reason);
  propagate(ledger, row);
  return { status: row.status, cancelled: true, ...abandonedOf([task]) };
}

export function cancelRun(ledger: Ledger, write: WriteOf<'cancel_run'>): AnswerTo<'cancel_run'> {
  const run = findRun(ledger, write.workflow_id);
  if (isRunSettled(run.status)) return { status: run.status, cancelled: 0 };
  const open = ledger.openTasks(run.workflow_id);
  for (const task of open) cancelOne(ledger, task, write.reason);
  ledger.tellRun(run, 'workflow:cancelled', { reason: write.reason });
  ledger.putRun({ ...ledger.runOf(run.workflow_id), status: 'cancelled', open: 0, settled_at: ledger.now });
  return { status: 'cancelled', cancelled: open.length, ...abandonedOf(open) };
}

/** Who holds a task ends its call by itself. `givenUp`: those of which only the call that is away has come to its end. */
export function abandonedOf(
  tasks: readonly TaskRow[],
  givenUp: readonly TaskRow[] = [],
): { abandoned?: readonly Abandoned[] } {
  const abandoned = [...tasks.flatMap(keptFor), ...[...tasks, ...givenUp].flatMap(callOf)];
  return abandoned.length === 0 ? {} : { abandoned };
}

function keptFor({ task_id, generation, owner, attempts }: TaskRow): AbandonedWork[] {
  const kept = owner === null ? attempts.at(-1)?.outside?.kept : undefined;
  if (kept === undefined || kept.provider === null) return [];
  return [{ task_id, generation, provider: kept.provider, kept: kept.text }];
}

function callOf(task: TaskRow): AbandonedAttempt[] {
  const attempt = isAway(task) ? currentAttempt(task) : null;
  if (attempt === null) return [];
  const { task_id, generation } = task;
  return [{ task_id, generation, attempt, provider: calledProvider(task) }];
}

function cancelOne(ledger: Ledger, task: TaskRow, reason: string | null): TaskRow {
  const error = cancellation(reason);
  const row: TaskRow = {
    ...endAttempt(ledger, task, error),
    status: follow('cancel', task.status),
    settled_at: ledger.now,
    error,
  };
  ledger.tell(row, 'task:cancelled', { reason });
  ledger.revoke(task);
  ledger.putTask(row);
  return row;
}

/** Calls that run go on; nothing further of the run is started until it is resumed. */
export function pauseRun(ledger: Ledger, write: WriteOf<'pause_run'>): AnswerTo<'pause_run'> {
  const run = findOpenRun(ledger, write.workflow_id, 'paused');
  if (run.status === 'paused') return { status: 'paused' };
  for (const task of ledger.openTasks(run.workflow_id)) {
    // One that waits in a line leaves it, so that nobody who is called from there stays away.
    if (task.status !== 'queued' || (task.parked !== null && !isInLine(task.parked))) continue;
    // One that was claimed is taken back: engines claim long before they have a slot. Its engine may be gone by now.
    const suspect = task.suspect || task.owner !== null;
    ledger.revoke(task);
    ledger.putTask({ ...task, owner: null, suspect, parked: parkedIn('paused') });
  }
  ledger.tellRun(run, 'workflow:paused', {});
  ledger.putRun({ ...run, status: 'paused' });
  return { status: 'paused' };
}

export function resumeRun(ledger: Ledger, write: WriteOf<'resume_run'>): AnswerTo<'resume_run'> {
  const run = findOpenRun(ledger, write.workflow_id, 'resumed');
  if (run.status === 'running') return { status: 'running' };
  for (const task of ledger.openTasks(run.workflow_id)) {
    if (task.parked === parkedIn('paused')) ledger.putTask({ ...task, parked: null });
  }
  ledger.tellRun(run, 'workflow:resumed', {});
  ledger.putRun({ ...run, status: 'running' });
  return { status: 'running' };
}

export function findTask(ledger: Ledger, task_id: string): TaskRow {
  const task = ledger.task(task_id);
  if (task !== null) return task;
  throw noTask(task_id);
}

export function findRun(ledger: Ledger, workflow_id: string): RunRow {
  const run = ledger.run(workflow_id);
  if (run !== null) return run;
  throw noRun(workflow_id);
}

function findOpenRun(ledger: Ledger, workflow_id: string, verb: string): RunRow {
  const run = findRun(ledger, workflow_id);
  if (!isRunSettled(run.status)) return run;
  throw new GleitzeitError('GLZ1011', `the run ${workflow_id} is ${run.status} and cannot be ${verb}`, {
    field: 'workflow_id',
  });
}
