import { blocksDependents, failsRun, queuedFields, unqueuedFields } from '../advance.ts';
import { GleitzeitError } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import type { RunRow, TaskRow } from '../records.ts';
import { isRunSettled } from '../run.ts';
import { allows, follow } from '../task.ts';
import type { AnswerTo, WriteOf } from '../writes.ts';
import { findTask } from './control.ts';
import { dependentsOf } from './propagate.ts';

/** A person asks for another try: the task runs again in its run, and what was skipped because of it waits again. */
export function retryTask(ledger: Ledger, write: WriteOf<'retry_task'>): AnswerTo<'retry_task'> {
  const task = findTask(ledger, write.task_id);
  if (!allows('reopen', task.status)) {
    throw new GleitzeitError('GLZ1011', `the task ${task.task_id} is ${task.status} and cannot be retried`, {
      field: 'task_id',
      hint: 'only a task that failed or was cancelled can be retried',
    });
  }
  if (task.blocked > 0) {
    throw new GleitzeitError('GLZ1011', `the task ${task.task_id} depends on tasks that did not succeed`, {
      field: 'task_id',
      hint: 'retry those first; it can be retried once they wait, run or have completed',
    });
  }
  const run = task.workflow_id === null ? null : reopenRun(ledger, task, task.workflow_id);
  const waits = task.pending > 0;
  const row: TaskRow = {
    ...task,
    status: follow(waits ? 'wait_again' : 'reopen', task.status),
    ...(waits ? unqueuedFields : queuedFields(task, { run, now: ledger.now })),
    attempt_base: task.attempt_count,
    generation: task.generation + 1,
    budget_from: null,
    settled_at: null,
    error: null,
  };
  ledger.putTask(row);
  ledger.tell(row, waits ? 'task:waiting' : 'task:queued', { reason: 'reopened' });
  if (run !== null) unskip(ledger, task, run.workflow_id);
  return { status: row.status };
}

function reopenRun(ledger: Ledger, task: TaskRow, workflow_id: string): RunRow {
  const run = ledger.runOf(workflow_id);
  if (run.status === 'cancelled') {
    throw new GleitzeitError(
      'GLZ1011',
      `the run ${workflow_id} was cancelled and its tasks cannot be retried`,
      {
        field: 'task_id',
        hint: 'submit the workflow again',
      },
    );
  }
  const settled = isRunSettled(run.status);
  const reopened: RunRow = {
    ...run,
    status: settled ? 'running' : run.status,
    settled_at: null,
    open: run.open + 1,
    failed: run.failed - (failsRun(task) ? 1 : 0),
  };
  if (settled) ledger.tellRun(run, 'workflow:reopened', { task_id: task.task_id });
  ledger.putRun(reopened);
  return reopened;
}

/** Takes back what `propagate` did when the task settled. `task` is as it was then. */
function unskip(ledger: Ledger, task: TaskRow, workflow_id: string): void {
  const reopened = [task];
  for (let next = reopened.shift(); next !== undefined; next = reopened.shift()) {
    const bad = blocksDependents(next);
    for (const row of dependentsOf(ledger, next)) {
      const counted = { ...row, pending: row.pending + 1, blocked: row.blocked - (bad ? 1 : 0) };
      if (row.status !== 'skipped' || counted.blocked > 0) {
        ledger.recount(counted);
        continue;
      }
      waitAgain(ledger, counted, workflow_id);
      reopened.push(row);
    }
  }
}

function waitAgain(ledger: Ledger, row: TaskRow, workflow_id: string): void {
  const waiting: TaskRow = { ...row, status: follow('wait_again', row.status), settled_at: null };
  const run = ledger.runOf(workflow_id);
  ledger.putTask(waiting);
  ledger.tell(waiting, 'task:waiting', { reason: 'dependency_reopened' });
  ledger.putRun({ ...run, open: run.open + 1 });
}
