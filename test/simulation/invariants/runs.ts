import { isInLine } from '../../../src/core/parked.ts';
import type { RunRow, TaskRow } from '../../../src/core/records.ts';
import type { Committed } from '../../../src/store/simulated/data.ts';
import { type Report, type Shadow, writesOf } from './step.ts';

/** Counters of the runs a commit touched, found again the slow way: by looking at all their tasks. */
export function checkRuns(commit: Committed, shadow: Shadow, report: Report): void {
  const touched = new Set<string>();
  for (const { row } of commit.changes.newRuns) touched.add(row.workflow_id);
  for (const row of commit.changes.runs) touched.add(row.workflow_id);
  for (const row of commit.changes.tasks) if (row.workflow_id !== null) touched.add(row.workflow_id);
  for (const workflow_id of touched) {
    const run = shadow.runs.get(workflow_id);
    const tasks = [...shadow.data.tasksOfRun.ids(workflow_id)].map((id) => shadow.tasks.get(id));
    if (run === undefined) report('a task has its run', workflow_id);
    else
      checkRun(
        run,
        tasks.filter((row) => row !== undefined),
        shadow,
        report,
      );
  }
}

const settledWords = ['completed', 'failed', 'cancelled', 'skipped'];

function isOver(row: { status: string }): boolean {
  return settledWords.includes(row.status);
}

function spoils(row: TaskRow): boolean {
  return (row.status === 'failed' || row.status === 'cancelled') && row.on_failure === 'skip';
}

function checkRun(run: RunRow, tasks: readonly TaskRow[], shadow: Shadow, report: Report): void {
  const must = (holds: boolean, what: string) => {
    if (!holds) report('run counters', `run ${run.workflow_id} (${run.status}): ${what}`);
  };
  const open = tasks.filter((row) => !isOver(row)).length;
  const failed = tasks.filter(spoils).length;
  must(run.total === tasks.length, `total ${run.total}, counted ${tasks.length}`);
  must(run.open === open, `open ${run.open}, counted ${open}`);
  must(isOver(run) === (open === 0), `${open} open tasks`);
  must(isOver(run) === (run.settled_at !== null), `settled at ${run.settled_at}`);
  for (const row of tasks) checkPlace(row, run, must);
  if (run.status === 'cancelled') return;
  must(run.failed === failed, `failed ${run.failed}, counted ${failed}`);
  if (open === 0) must(run.status === (failed > 0 ? 'failed' : 'completed'), `${failed} failed`);
  checkCounts(tasks, shadow, must);
}

type Must = (holds: boolean, what: string) => void;

function checkPlace(row: TaskRow, run: RunRow, must: Must): void {
  const waitsInQueue = row.status === 'queued' && row.owner === null;
  // What was given back for want of a provider stays aside until it is due.
  if (waitsInQueue && row.parked?.startsWith('provider ') && row.due_at !== null) return;
  if (waitsInQueue && isInLine(row.parked) && run.status === 'running') return;
  if (row.status === 'routed' && row.parked?.startsWith('bridge ')) return;
  must(
    (row.parked !== null) === (waitsInQueue && run.status === 'paused'),
    `${row.task_id} (${row.status}) is parked: ${row.parked}`,
  );
}

function checkCounts(tasks: readonly TaskRow[], shadow: Shadow, must: Must): void {
  const byId = new Map(tasks.map((row) => [row.id, row]));
  for (const row of tasks) {
    const dependencies = shadow.data.bodies.get(row.task_id)?.spec.dependencies ?? [];
    const rows = dependencies.map((id) => byId.get(id)).filter((found) => found !== undefined);
    const pending = rows.filter((found) => !isOver(found)).length;
    const blocked = rows.filter((found) => found.status === 'skipped' || spoils(found)).length;
    must(row.pending === pending, `${row.task_id} pending ${row.pending}, counted ${pending}`);
    must(row.blocked === blocked, `${row.task_id} blocked ${row.blocked}, counted ${blocked}`);
    must(row.status !== 'skipped' || blocked > 0, `${row.task_id} was skipped for no reason`);
    must(row.status !== 'waiting' || (pending > 0 && blocked === 0), `${row.task_id} waits for nothing`);
  }
}

/** A row says nothing that contradicts itself. */
export function checkRow(row: TaskRow, shadow: Shadow, report: Report): void {
  const must = (holds: boolean, what: string) => {
    if (!holds) report('a row agrees with itself', `${row.task_id} (${row.status}): ${what}`);
  };
  const over = isOver(row);
  must(over === (row.settled_at !== null), `settled at ${row.settled_at}`);
  must(row.owner === null || row.status === 'queued' || row.status === 'executing', `held by ${row.owner}`);
  must(!over || row.due_at === null, `due at ${row.due_at}`);
  must(row.status !== 'retrying' || row.due_at !== null, 'never due');
  must((row.status === 'completed') === (row.result_hash !== null), `result ${row.result_hash}`);
  must((row.status === 'completed') === shadow.results.has(row.task_id), 'result row');
  must(row.status !== 'failed' || row.error !== null, 'failed without an error');
  const away = row.owner === null && row.status === 'executing' && row.attempts.at(-1)?.ended_at === null;
  must(!(away || row.status === 'routed') || row.due_at !== null, 'away for ever');
}

/** Equal submissions under one key are one run; the key is written with it. */
export function checkKeys(commit: Committed, shadow: Shadow, report: Report): void {
  const added = new Set(commit.changes.newTasks.map(({ row }) => row.task_id));
  const kept = new Set(commit.changes.keys.map(({ key }) => key));
  for (const { runs } of writesOf(commit.writes, 'submit')) {
    for (const { idempotency_key, tasks } of runs) {
      const created = tasks.filter(({ task_id }) => added.has(task_id)).length;
      if (created !== 0 && created !== tasks.length)
        report('a run is accepted whole', `${created} tasks of it`);
      if (idempotency_key === null || created === 0) continue;
      const used = shadow.keys.get(idempotency_key);
      if (used !== undefined && !commit.changes.pruned.includes(used.run_key))
        report('idempotency', `${idempotency_key} made a second run`);
      if (!kept.has(idempotency_key)) report('idempotency', `${idempotency_key} was not kept`);
    }
  }
}
