import { advance } from '../advance.ts';
import type { Ledger } from '../ledger.ts';
import type { TaskRow } from '../records.ts';

/** Carries a settled task's consequences through its run, and those of whatever is skipped on the way. */
export function propagate(ledger: Ledger, settled: TaskRow): void {
  if (settled.workflow_id === null) return;
  const settledTasks = [settled];
  for (let task = settledTasks.shift(); task !== undefined; task = settledTasks.shift()) {
    settledTasks.push(...advanceOne(ledger, task, settled.workflow_id));
  }
}

function advanceOne(ledger: Ledger, task: TaskRow, workflow_id: string): readonly TaskRow[] {
  const run = ledger.runOf(workflow_id);
  const result = advance({ task, dependents: dependentsOf(ledger, task), run }, ledger.now);
  for (const row of result.dependents) ledger.recount(row);
  for (const row of result.released) ledger.tell(row, 'task:queued', { reason: 'dependencies_settled' });
  for (const row of result.skipped) {
    ledger.putTask(row);
    ledger.tell(row, 'task:skipped', { because: task.task_id });
  }
  if (result.runEnd !== null) ledger.tellRun(run, result.runEnd.event, result.runEnd.data as never);
  ledger.putRun(result.run);
  return result.skipped;
}

export function dependentsOf(ledger: Ledger, task: TaskRow): TaskRow[] {
  if (!task.has_dependents) return [];
  const ids = ledger.body(task.task_id)?.dependents ?? [];
  return ids.map((id) => ledger.task(id)).filter((row) => row !== null);
}
