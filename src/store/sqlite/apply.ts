import type { DatabaseSync } from 'node:sqlite';
import type { Changes, RunHappenings } from '../../core/changes.ts';
import type { RunRow, TaskRow } from '../../core/records.ts';
import { AGENT_COLUMNS, agentValues } from './agents.ts';
import { TaskWriter } from './apply-tasks.ts';
import { runStatusCodes } from './codes.ts';
import { prepare, type Query } from './connection.ts';
import { damaged } from './errors.ts';
import { holdingsOf, LogWriter, type NumberedLog, numberLog } from './log.ts';
import { type KnownTask, type Memory, move, SMALL_BODY } from './memory.ts';
import type { Payloads } from './payloads.ts';
import { type Prune, pruner } from './prune.ts';
import type { SqliteSource } from './source.ts';

export const applySql = {
  insertRun: `INSERT INTO run (n, workflow_id, name, version, status, total, open, failed, seq, created_at, settled_at,
      body_hash, input_hash, retry_of, input)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  updateRun: 'UPDATE run SET open = ?, failed = ?, seq = ? WHERE n = ?',
  moveRun: 'UPDATE run SET status = ?, settled_at = ?, open = ?, failed = ?, seq = ? WHERE n = ?',
  insertKey: 'INSERT INTO idempotency (key, run_key, body_hash) VALUES (?, ?, ?)',
  putDocument: `INSERT INTO document (collection, key, version, text) VALUES (?, ?, ?, ?)
    ON CONFLICT (collection, key) DO UPDATE SET version = excluded.version, text = excluded.text`,
  putAgent: `INSERT INTO agents (${AGENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET id = excluded.id, created_at = excluded.created_at, url = excluded.url, description = excluded.description,
      protocol = excluded.protocol, protocol_config = excluded.protocol_config, settings = excluded.settings,
      version = excluded.version, updated_at = excluded.updated_at`,
  dropAgent: 'DELETE FROM agents WHERE name = ?',
  dropDocument: 'DELETE FROM document WHERE collection = ? AND key = ?',
} as const;

/** Writes what a commit decided. */
export class Applier {
  readonly #memory: Memory;
  readonly #payloads: Payloads;
  readonly #tasks: TaskWriter;
  readonly #log: LogWriter;
  readonly #prune: Prune;
  readonly #queries: Readonly<Record<keyof typeof applySql, Query>>;

  constructor(db: DatabaseSync, memory: Memory, payloads: Payloads) {
    this.#memory = memory;
    this.#payloads = payloads;
    this.#tasks = new TaskWriter(db, memory);
    this.#log = new LogWriter(db, { memory, payloads });
    this.#prune = pruner(db, memory);
    const entries = Object.entries(applySql).map(([name, sql]) => [name, prepare(db, sql)]);
    this.#queries = Object.fromEntries(entries) as Readonly<Record<keyof typeof applySql, Query>>;
  }

  apply(changes: Changes, source: SqliteSource, now: number): void {
    const { engines } = this.#memory;
    // First, because what is removed may be submitted again in the same commit.
    for (const run_key of changes.pruned) this.#prune(run_key);
    for (const engine of changes.engines) engines.put(engine);
    const log = numberLog(changes.happenings, this.#memory.cursor);
    for (const { row, input } of changes.newRuns) this.#addRun(row, input, source);
    this.#addTasks(changes, log, source);
    for (const row of changes.tasks) this.#changeTask(row, log, source);
    for (const row of changes.runs) this.#changeRun(row, source);
    for (const owner of changes.goneEngines) engines.remove(owner);
    this.#keysAndDocuments(changes);
    // Those that are gone first: a name may have been given anew.
    for (const name of changes.goneAgents) this.#queries.dropAgent.run(name);
    for (const row of changes.agents) this.#queries.putAgent.run(...agentValues(row));
    const numberOf = (of: RunHappenings) => numberOfLog(source, of);
    this.#log.write(log, { holdings: holdingsOf(changes), numberOf, now });
  }

  #addRun(row: RunRow, input: string, source: SqliteSource): void {
    const n = this.#memory.takeN();
    source.runs.set(row.workflow_id, { n, row });
    this.#memory.runs.set(row.workflow_id, { n, row });
    const { workflow_id, name, version, total, open, failed, seq, created_at, settled_at } = row;
    const counts = [total, open, failed, seq, created_at, settled_at] as const;
    const hashes = [row.body_hash, row.input_hash, row.retry_of] as const;
    const text = this.#payloads.keep(input, n, row.input_hash);
    const status = runStatusCodes[row.status];
    this.#queries.insertRun.run(n, workflow_id, name, version, status, ...counts, ...hashes, text);
    move(this.#memory.runTally, null, row.status);
  }

  #addTasks({ newTasks }: Changes, log: NumberedLog, source: SqliteSource): void {
    const { held, waiting, taskTally, queue } = this.#memory;
    const tasks = newTasks.map(({ row, body }): KnownTask => ({ n: this.#memory.takeN(), row, body }));
    this.#tasks.insert(tasks, log);
    for (const task of tasks) {
      const { task_id, workflow_id, owner, status } = task.row;
      if (workflow_id === null) source.tasks.set(task_id, task);
      if (owner !== null) held.set(task_id, rememberBody(task));
      else if (status === 'waiting') waiting.set(task_id, { n: task.n, row: task.row });
      move(taskTally, null, status);
      if (status === 'queued') queue.count(task.row, 1);
    }
  }

  #changeTask(row: TaskRow, log: NumberedLog, source: SqliteSource): void {
    const old = source.known(row.task_id);
    if (old === null) throw damaged(`the task ${row.task_id} is not there`);
    this.#tasks.update(old, row, log.results.get(row.task_id));
    const { held, waiting, taskTally, queue } = this.#memory;
    if (row.owner === null) held.delete(row.task_id);
    else held.set(row.task_id, { ...old, row });
    if (row.status === 'waiting') waiting.set(row.task_id, { n: old.n, row });
    else waiting.delete(row.task_id);
    move(taskTally, old.row.status, row.status);
    queue.move(old.row, row);
  }

  #changeRun(row: RunRow, source: SqliteSource): void {
    const old = source.knownRun(row.workflow_id);
    if (old === null) throw damaged(`the run ${row.workflow_id} is not there`);
    const { open, failed, seq, status, settled_at } = row;
    if (status === old.row.status && settled_at === old.row.settled_at)
      this.#queries.updateRun.run(open, failed, seq, old.n);
    else this.#queries.moveRun.run(runStatusCodes[status], settled_at, open, failed, seq, old.n);
    move(this.#memory.runTally, old.row.status, status);
    if (settled_at === null) this.#memory.runs.set(row.workflow_id, { n: old.n, row });
    else this.#memory.runs.delete(row.workflow_id);
  }

  #keysAndDocuments(changes: Changes): void {
    const queries = this.#queries;
    for (const { key, run_key, body_hash } of changes.keys) queries.insertKey.run(key, run_key, body_hash);
    for (const { collection, key, version, text } of changes.documents)
      queries.putDocument.run(collection, key, version, text);
    for (const { collection, key } of changes.goneDocuments) queries.dropDocument.run(collection, key);
  }
}

/** A body is kept at hand as long as it is small: many tasks are held. */
function rememberBody({ n, row, body }: KnownTask): KnownTask {
  return body !== undefined && body.params.length <= SMALL_BODY ? { n, row, body } : { n, row };
}

function numberOfLog(source: SqliteSource, { run_key, workflow_id }: RunHappenings): number | null {
  if (run_key === null) return null;
  const known = workflow_id === null ? source.known(run_key) : source.knownRun(workflow_id);
  return known?.n ?? null;
}
