import type { NewTask, ReusedResult } from '../../../src/core/writes.ts';
import type { Committed } from '../../../src/store/simulated/data.ts';
import { type Report, type Shadow, writesOf } from './step.ts';

type Reused = NewTask & { readonly reused: ReusedResult };

/**
 * A run that starts from an earlier one takes over results that are there, of the same tasks, and none that came of
 * something that runs again. Answers which tasks brought theirs along.
 */
export function checkReused(commit: Committed, shadow: Shadow, report: Report): ReadonlySet<string> {
  const added = new Set(commit.changes.newTasks.map(({ row }) => row.task_id));
  const reused = new Set<string>();
  for (const { runs } of writesOf(commit.writes, 'submit')) {
    for (const { workflow, tasks } of runs) {
      if (workflow?.retry_of === undefined || !tasks.some(({ task_id }) => added.has(task_id))) continue;
      checkRun({ retry_of: workflow.retry_of, tasks }, shadow, report);
      for (const task of tasks.filter(isReused)) reused.add(task.task_id);
    }
  }
  return reused;
}

function isReused(task: NewTask): task is Reused {
  return task.reused !== undefined;
}

function checkRun(
  { retry_of, tasks }: { retry_of: string; tasks: readonly NewTask[] },
  shadow: Shadow,
  report: Report,
): void {
  const wrong = (task: NewTask, what: string) =>
    report('a retried run reuses what is finished', `${task.id} of a retry of ${retry_of} ${what}`);
  const done = new Set(tasks.filter(isReused).map(({ id }) => id));
  if (done.size === tasks.length) report('a retried run reuses what is finished', `all of ${retry_of}`);
  for (const task of tasks.filter(isReused)) {
    const { task_id, workflow_id, result } = task.reused;
    const row = shadow.tasks.get(task_id);
    if (workflow_id !== retry_of) wrong(task, `is from ${workflow_id}`);
    if (task.spec.dependencies.some((id) => !done.has(id))) wrong(task, 'depends on what runs again');
    // Pruned meanwhile.
    if (row === undefined) continue;
    if (row.id !== task.id || row.workflow_id !== retry_of) wrong(task, `is from ${row.id}`);
    if (row.status !== 'completed') wrong(task, `is from one that is ${row.status}`);
    if (shadow.results.get(task_id) !== result) wrong(task, 'has another result');
  }
  checkAll(tasks, done, { retry_of, shadow, wrong });
}

type Checking = {
  readonly retry_of: string;
  readonly shadow: Shadow;
  readonly wrong: (task: NewTask, what: string) => void;
};

/** Only where it was told to start may something finished run again that depends on nothing which does. */
function checkAll(tasks: readonly NewTask[], done: ReadonlySet<string>, checking: Checking): void {
  const rows = [...checking.shadow.tasks.values()].filter((row) => row.workflow_id === checking.retry_of);
  // What was opened again may have finished since it was looked at.
  if (rows.length !== tasks.length || rows.some(({ generation }) => generation > 0)) return;
  const finished = new Set(rows.filter(({ status }) => status === 'completed').map(({ id }) => id));
  const starts = tasks.filter(
    ({ id, spec }) =>
      finished.has(id) && !done.has(id) && spec.dependencies.every((other) => done.has(other)),
  );
  for (const task of starts.slice(1)) checking.wrong(task, 'was finished and runs again');
}
