import { blocksDependents, failsRun } from '../advance.ts';
import { isAway } from '../away.ts';
import type { Changes } from '../changes.ts';
import { waitOf } from '../outside.ts';
import type { RunRow, TaskRow } from '../records.ts';
import { isRunSettled } from '../run.ts';
import { isSettled } from '../task.ts';
import type { Memory } from './memory.suite.ts';

/** What must hold between the rows of a run at any time, found the slow way: by looking at all of them. */
export function violations(memory: Memory): string[] {
  const rows = [...memory.tasks.values()];
  return [
    ...rows.flatMap((row) => taskViolations(memory, row)),
    ...[...memory.runs.values()].flatMap((run) =>
      runViolations(
        run,
        rows.filter((row) => row.workflow_id === run.workflow_id),
      ),
    ),
  ];
}

function runViolations(run: RunRow, tasks: readonly TaskRow[]): string[] {
  const open = tasks.filter((row) => !isSettled(row.status)).length;
  const failed = tasks.filter(failsRun).length;
  const found: string[] = [];
  const must = (holds: boolean, what: string) => holds || found.push(`run ${run.workflow_id}: ${what}`);
  must(run.open === open, `open ${run.open}, counted ${open}`);
  must(isRunSettled(run.status) === (run.settled_at !== null), `${run.status}, settled at ${run.settled_at}`);
  must(isRunSettled(run.status) === (open === 0), `${run.status} with ${open} open tasks`);
  if (run.status === 'cancelled') return found;
  must(run.failed === failed, `failed ${run.failed}, counted ${failed}`);
  if (open === 0)
    must(run.status === (failed > 0 ? 'failed' : 'completed'), `${run.status}, failed ${failed}`);
  return found;
}

function taskViolations(memory: Memory, row: TaskRow): string[] {
  const found: string[] = [];
  const must = (holds: boolean, what: string) =>
    holds || found.push(`${row.task_id} (${row.status}): ${what}`);
  const run = row.workflow_id === null ? null : (memory.runs.get(row.workflow_id) ?? null);
  const settled = isSettled(row.status);
  must(settled === (row.settled_at !== null), `settled at ${row.settled_at}`);
  must(row.owner === null || row.status === 'queued' || row.status === 'executing', `held by ${row.owner}`);
  const waits = waitOf(row);
  must(row.owner === null || waits === null, `held by ${row.owner} while it waits`);
  must(row.status !== 'executing' || row.owner !== null || waits !== null || isAway(row), 'with nobody');
  must(!isAway(row) || row.due_at !== null, 'away for ever');
  must((row.status === 'routed') === (row.parked?.startsWith('bridge ') ?? false), `parked ${row.parked}`);
  must(row.status !== 'input_required' || waits !== null, 'asks nothing');
  must(waits === null || waits.wait.answer === null, 'waits for what it has');
  must(waits?.wait.until == null || row.due_at !== null, 'waits and is never due');
  must(!settled || leaves(row).length === 0, `leaves ${leaves(row).join(', ')} to nobody`);
  must(!settled || row.due_at === null, `due at ${row.due_at}`);
  must(row.status !== 'retrying' || row.due_at !== null, 'never due');
  must((row.status === 'completed') === (row.result_hash !== null), `result ${row.result_hash}`);
  must((row.status === 'completed') === memory.results.has(row.task_id), 'result row');
  const parked = run?.status === 'paused' && row.status === 'queued' && row.owner === null;
  must((row.parked === 'paused') === parked, `parked ${row.parked} in a run that is ${run?.status}`);
  const most = memory.bodies.get(row.task_id)?.spec.retry_config.max_attempts ?? 0;
  must(
    row.attempt_count - row.attempt_base <= most,
    `attempt ${row.attempt_count}, base ${row.attempt_base}`,
  );
  if (run !== null && run.status !== 'cancelled') found.push(...countViolations(memory, row));
  return found;
}

function leaves({ attempts }: TaskRow): string[] {
  return Object.keys(attempts.at(-1)?.outside ?? {}).filter((what) => what !== 'wait');
}

function countViolations(memory: Memory, row: TaskRow): string[] {
  const dependencies = [...memory.tasks.values()].filter((other) =>
    memory.bodies.get(other.task_id)?.dependents.includes(row.task_id),
  );
  const pending = dependencies.filter((other) => !isSettled(other.status)).length;
  const blocked = dependencies.filter(blocksDependents).length;
  const found: string[] = [];
  const must = (holds: boolean, what: string) =>
    holds || found.push(`${row.task_id} (${row.status}): ${what}`);
  must(row.pending === pending, `pending ${row.pending}, counted ${pending}`);
  must(row.blocked === blocked, `blocked ${row.blocked}, counted ${blocked}`);
  must(
    row.status !== 'waiting' || (pending > 0 && blocked === 0),
    `waits for ${pending}, blocked ${blocked}`,
  );
  must(row.status !== 'skipped' || blocked > 0, 'skipped for no reason');
  return found;
}

const settling = ['task:completed', 'task:failed', 'task:cancelled', 'task:skipped'];
const settlingRun = ['workflow:completed', 'workflow:failed', 'workflow:cancelled'];

/** What a commit says it settled, beside what its events say. */
export function settledBeside({ happenings, settled, settledRuns }: Changes) {
  const last = new Map<string, string>();
  for (const { run_key, events } of happenings)
    for (const { task_id, event } of events) last.set(task_id ?? `run ${run_key}`, event);
  const ended = [...last].filter(([, event]) => [...settling, ...settlingRun].includes(event));
  return {
    told: ended.map(([id, event]) => `${id} ${event.replace(/.*:/, '')}`).sort(),
    listed: [
      ...settled.map((task) => `${task.task_id} ${task.status}`),
      ...settledRuns.map((run) => `run ${run.workflow_id} ${run.status}`),
    ].sort(),
  };
}
