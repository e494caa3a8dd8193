import type { FoldedRun, FoldedWorkflow } from './fold.ts';
import type { FoldedTask } from './fold-task.ts';
import type { ToldAttempt } from './outside.ts';
import { awayProvider } from './parked.ts';
import type { AttemptRecord, RunRow, TaskBody, TaskRow } from './records.ts';

export type StoredRun = {
  /** Null for a task submitted alone. */
  readonly run: RunRow | null;
  readonly tasks: readonly { readonly row: TaskRow; readonly body: TaskBody }[];
};

/** What the store holds of a run, in the shape the log is folded to, so that the two can be compared. */
export function stateOf({ run, tasks }: StoredRun): FoldedRun {
  return {
    run: run === null ? null : workflowOf(run),
    seq: run?.seq ?? tasks[0]?.row.seq ?? 0,
    tasks: new Map(tasks.map(({ row, body }) => [row.task_id, taskOf(row, body)])),
  };
}

function workflowOf(run: RunRow): FoldedWorkflow {
  const { workflow_id, name, version, status, total, input_hash, created_at, settled_at, retry_of } = run;
  return { workflow_id, name, version, status, total, input_hash, created_at, settled_at, retry_of };
}

function taskOf(row: TaskRow, body: TaskBody): FoldedTask {
  const { name, protocol, method, dependencies, agent } = body.spec;
  return {
    task_id: row.task_id,
    id: row.id,
    name,
    protocol,
    method,
    priority: row.priority,
    dependencies,
    params_hash: body.params_hash,
    created_at: row.created_at,
    status: row.status,
    attempt_count: row.attempt_count,
    attempt_base: row.attempt_base,
    generation: row.generation,
    attempts: row.attempts.map(toldAttempt),
    budget_from: row.budget_from,
    provider: row.status === 'routed' ? awayProvider(row.parked) : (row.attempts.at(-1)?.provider ?? null),
    // A queued task also has a time the scheduler must look at it: that of its total timeout, which is no state.
    due_at: row.status === 'retrying' ? row.due_at : null,
    settled_at: row.settled_at,
    error: row.error,
    result_hash: row.result_hash,
    ...(agent === undefined ? undefined : { agent }),
  };
}

/** The log has hashes of payloads, and nothing of what answers are proved and known by. */
export function toldAttempt({ outside, ...attempt }: AttemptRecord): ToldAttempt {
  if (outside === undefined) return attempt;
  const { kept, response, early, wait } = outside;
  return {
    ...attempt,
    outside: {
      ...(kept && { kept: { provider: kept.provider, hash: kept.hash } }),
      ...(response && { response: { hash: response.hash } }),
      ...(early && { early: { hash: early.hash } }),
      ...(wait && { wait: { kind: wait.kind, ask: wait.ask, until: wait.until, late: wait.late } }),
    },
  };
}

/** Where the log and the store tell different stories, one line each; none when they agree. */
export function differences(folded: FoldedRun, stored: FoldedRun): string[] {
  const found: string[] = [];
  compare(plain(folded), plain(stored), { path: '', found });
  return found;
}

function plain(state: FoldedRun): object {
  return { ...state, tasks: Object.fromEntries(state.tasks) };
}

function compare(folded: unknown, stored: unknown, at: { path: string; found: string[] }): void {
  if (Object.is(folded, stored)) return;
  if (!isTree(folded) || !isTree(stored) || Array.isArray(folded) !== Array.isArray(stored)) {
    at.found.push(`${at.path}: the log says ${shown(folded)}, the store has ${shown(stored)}`);
    return;
  }
  for (const key of new Set([...Object.keys(folded), ...Object.keys(stored)])) {
    const path = at.path === '' ? key : `${at.path}.${key}`;
    compare(folded[key], stored[key], { path, found: at.found });
  }
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
