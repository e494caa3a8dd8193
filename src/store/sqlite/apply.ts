import type { DatabaseSync } from 'node:sqlite';
import type { Changes } from '../../core/changes.ts';
import type { ResultRow, RunRow, TaskBody, TaskRow } from '../../core/records.ts';
import {
  insertResult,
  insertTask,
  isFresh,
  type TaskQueries,
  taskQueries,
  updateAll,
  updateTask,
} from './apply-tasks.ts';
import { runStatusCodes } from './codes.ts';
import { prepare, type Query } from './connection.ts';
import { damaged } from './errors.ts';
import { eventsText } from './event-text.ts';
import { type KnownTask, type Memory, move } from './memory.ts';
import type { Payloads } from './payloads.ts';
import { type Prune, pruner } from './prune.ts';
import type { SqliteSource } from './source.ts';

export const applySql = {
  insertRun: `INSERT INTO run (n, workflow_id, name, version, status, total, open, failed, seq, created_at, settled_at,
      body_hash, input_hash, first_cursor, input)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  updateRun: `UPDATE run SET open = ?, failed = ?, seq = ? WHERE n = ?`,
  moveRun: `UPDATE run SET status = ?, settled_at = ?, open = ?, failed = ?, seq = ? WHERE n = ?`,
  insertKey: 'INSERT INTO idempotency (key, run_key, body_hash) VALUES (?, ?, ?)',
  putDocument: `INSERT INTO document (collection, key, version, text) VALUES (?, ?, ?, ?)
    ON CONFLICT (collection, key) DO UPDATE SET version = excluded.version, text = excluded.text`,
  dropDocument: 'DELETE FROM document WHERE collection = ? AND key = ?',
  insertEvent: 'INSERT INTO event (cursor, run_n, first_seq, at, events) VALUES (?, ?, ?, ?, ?)',
} as const;

/** Writes what a commit decided. */
export class Applier {
  readonly #memory: Memory;
  readonly #payloads: Payloads;
  readonly #tasks: TaskQueries;
  readonly #queries: Readonly<Record<keyof typeof applySql, Query>>;
  readonly #prune: Prune;

  constructor(db: DatabaseSync, memory: Memory, payloads: Payloads) {
    this.#memory = memory;
    this.#payloads = payloads;
    this.#tasks = taskQueries(db);
    const entries = Object.entries(applySql).map(([name, sql]) => [name, prepare(db, sql)]);
    this.#queries = Object.fromEntries(entries) as Readonly<Record<keyof typeof applySql, Query>>;
    this.#prune = pruner(db, memory);
  }

  apply(changes: Changes, source: SqliteSource, now: number): void {
    const { engines } = this.#memory;
    // First, because what is removed may be submitted again in the same commit.
    for (const run_key of changes.pruned) this.#prune(run_key);
    const cursors = this.#number(changes);
    for (const { row, input } of changes.newRuns) this.#addRun(row, input, { source, cursors });
    for (const { row, body } of changes.newTasks) this.#addTask({ row, body }, { source, cursors });
    for (const engine of changes.engines) engines.put(engine);
    const results = new Map(changes.results.map((result) => [result.task_id, result]));
    for (const row of changes.tasks) this.#changeTask(row, results.get(row.task_id), source);
    for (const row of changes.runs) this.#changeRun(row, source);
    for (const owner of changes.goneEngines) engines.remove(owner);
    for (const { key, run_key, body_hash } of changes.keys)
      this.#queries.insertKey.run(key, run_key, body_hash);
    for (const { collection, key, version, text } of changes.documents)
      this.#queries.putDocument.run(collection, key, version, text);
    for (const { collection, key } of changes.goneDocuments) this.#queries.dropDocument.run(collection, key);
    this.#log(changes, source, now);
  }

  /** Where the log of each new run will begin. */
  #number(changes: Changes): ReadonlyMap<string | null, number> {
    const cursors = new Map<string | null, number>();
    let { cursor } = this.#memory;
    for (const { run_key, first_seq, events } of changes.happenings) {
      cursor += events.length;
      if (first_seq === 1) cursors.set(run_key, cursor);
    }
    return cursors;
  }

  #addRun(row: RunRow, input: string, { source, cursors }: Adding): void {
    const n = this.#memory.takeN();
    source.runs.set(row.workflow_id, { n, row });
    const { workflow_id, name, version, total, open, failed, seq, created_at, settled_at } = row;
    const { body_hash, input_hash } = row;
    const text = this.#payloads.keep(input, () => n, input_hash);
    const counts = [total, open, failed, seq, created_at, settled_at];
    const first = cursors.get(workflow_id) ?? null;
    const status = runStatusCodes[row.status];
    this.#queries.insertRun.run(
      n,
      workflow_id,
      name,
      version,
      status,
      ...counts,
      body_hash,
      input_hash,
      first,
      text,
    );
    move(this.#memory.runTally, null, row.status);
  }

  #addTask({ row, body }: { row: TaskRow; body: TaskBody }, { source, cursors }: Adding): void {
    const known: KnownTask = { n: this.#memory.takeN(), row };
    const params = this.#payloads.keep(body.params, () => source.runNumber(known), body.params_hash);
    const first_cursor = row.workflow_id === null ? (cursors.get(row.task_id) ?? null) : null;
    const tables = { queries: this.#tasks, memory: this.#memory };
    insertTask(tables, { ...known, body, params, first_cursor });
    if (!isFresh(row)) updateAll(tables, known.n, row);
    if (row.workflow_id === null) source.tasks.set(row.task_id, known);
    move(this.#memory.taskTally, null, row.status);
  }

  #changeTask(row: TaskRow, result: ResultRow | undefined, source: SqliteSource): void {
    const old = source.known(row.task_id);
    if (old === null) throw damaged(`the task ${row.task_id} is not in the store`);
    const { held, taskTally } = this.#memory;
    const known = { n: old.n, row };
    if (result !== undefined) {
      const text = this.#payloads.keep(result.result, () => source.runNumber(old), result.hash);
      insertResult(this.#tasks, known, { result, text });
    }
    updateTask({ queries: this.#tasks, memory: this.#memory }, old, { row, result: result !== undefined });
    if (row.owner === null) held.delete(row.task_id);
    else held.set(row.task_id, known);
    move(taskTally, old.row.status, row.status);
  }

  #changeRun(row: RunRow, source: SqliteSource): void {
    const old = source.knownRun(row.workflow_id);
    if (old === null) throw damaged(`the run ${row.workflow_id} is not in the store`);
    const { open, failed, seq, status, settled_at } = row;
    if (status === old.row.status && settled_at === old.row.settled_at)
      this.#queries.updateRun.run(open, failed, seq, old.n);
    else this.#queries.moveRun.run(runStatusCodes[status], settled_at, open, failed, seq, old.n);
    move(this.#memory.runTally, old.row.status, status);
  }

  #log(changes: Changes, source: SqliteSource, now: number): void {
    for (const { run_key, workflow_id, first_seq, events } of changes.happenings) {
      this.#memory.cursor += events.length;
      const run_n = run_key === null ? null : numberOf(source, run_key, workflow_id);
      const text = eventsText(events, run_key);
      this.#queries.insertEvent.run(this.#memory.cursor, run_n, first_seq, now, text);
    }
  }
}

type Adding = { readonly source: SqliteSource; readonly cursors: ReadonlyMap<string | null, number> };

function numberOf(source: SqliteSource, run_key: string, workflow_id: string | null): number | null {
  const known = workflow_id === null ? source.known(run_key) : source.knownRun(workflow_id);
  return known?.n ?? null;
}
