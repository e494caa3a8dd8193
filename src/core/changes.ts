import type { AgentRow } from './agent.ts';
import type { Happening } from './events.ts';
import type { ResultRow, RunRow, TaskBody, TaskRow } from './records.ts';
import type { RunStatus } from './run.ts';
import type { SettledStatus } from './task.ts';

/** An idempotency key and what it was used for. */
export type KeyRow = { readonly key: string; readonly run_key: string; readonly body_hash: string };
export type EngineRow = { readonly owner: string; readonly alive_until: number };
export type DocumentRow = {
  readonly collection: string;
  readonly key: string;
  readonly text: string;
  readonly version: number;
};
export type DocumentName = { readonly collection: string; readonly key: string };

/**
 * What decisions read. A store answers from the transaction in which the changes will be written. Lists of tasks come
 * in the order the tasks were accepted where nothing else is said, so that every store decides the same.
 */
export interface Source {
  task(task_id: string): TaskRow | null;
  body(task_id: string): TaskBody | null;
  run(workflow_id: string): RunRow | null;
  /** Every task of a run that is not settled. */
  openTasks(workflow_id: string): readonly TaskRow[];
  /** Short id → `task_id` of all tasks of a run. */
  taskIds(workflow_id: string): Readonly<Record<string, string>>;
  key(key: string): KeyRow | null;
  document(collection: string, key: string): DocumentRow | null;
  engine(owner: string): EngineRow | null;
  agent(name: string): AgentRow | null;
  /** Tasks no engine holds with `due_at` ≤ now, earliest first, equal ones in the order they were accepted. */
  dueTasks(now: number, limit: number): readonly TaskRow[];
  /** The earliest `due_at` > now of a task no engine holds. */
  nextDue(now: number): number | null;
  /** Tasks whose owner has no engine row, or one with `alive_until` < now. */
  lostTasks(now: number, limit: number): readonly TaskRow[];
  /** Every task an engine holds. */
  heldTasks(owner: string): readonly TaskRow[];
  /** Tasks that wait in a line, best rank first, equal ones in the order they were accepted. */
  lineTasks(line: string, limit: number): readonly TaskRow[];
  /** Lines in which tasks wait, by the bytes of their names, after this one; `places`: how many of each will be read. */
  lines(after: string | null, limit: number, places: number): readonly string[];
  /** Engines with `alive_until` < now. */
  lostEngines(now: number): readonly EngineRow[];
  /** Keys of runs and lone tasks with `settled_at` < before, oldest first. Those that were opened again may be among them. */
  prunable(before: number, limit: number): readonly string[];
}

/** What happened to one run in this commit; the global numbers come when it is written. */
export type RunHappenings = {
  readonly run_key: string | null;
  readonly workflow_id: string | null;
  readonly first_seq: number;
  readonly events: Happening[];
};

export type SettledTask = {
  readonly task_id: string;
  readonly workflow_id: string | null;
  readonly status: SettledStatus;
};

export type SettledRun = { readonly workflow_id: string; readonly status: RunStatus };

export type Revoked = { readonly task_id: string; readonly owner: string };

/** Everything one commit changes, ready to be written. A record stands in exactly one of the lists. */
export type Changes = {
  readonly newTasks: readonly { readonly row: TaskRow; readonly body: TaskBody }[];
  readonly newRuns: readonly { readonly row: RunRow; readonly input: string }[];
  readonly tasks: readonly TaskRow[];
  readonly runs: readonly RunRow[];
  readonly results: readonly ResultRow[];
  readonly keys: readonly KeyRow[];
  readonly engines: readonly EngineRow[];
  readonly goneEngines: readonly string[];
  readonly documents: readonly DocumentRow[];
  readonly goneDocuments: readonly DocumentName[];
  readonly agents: readonly AgentRow[];
  readonly goneAgents: readonly string[];
  /**
   * Run keys whose every trace goes: tasks, bodies, results, payloads, events, idempotency keys. They go before anything
   * else is written: a later write of the same commit may use their ids again.
   */
  readonly pruned: readonly string[];
  readonly happenings: readonly RunHappenings[];
  readonly settled: readonly SettledTask[];
  readonly settledRuns: readonly SettledRun[];
  /** Tasks taken away from an engine that may be running them. */
  readonly revoked: readonly Revoked[];
};
