import type { DatabaseSync } from 'node:sqlite';
import type { AgentRow } from '../../core/agent.ts';
import type { DocumentRow, EngineRow, KeyRow, Source } from '../../core/changes.ts';
import type { RunRow, TaskBody, TaskRow } from '../../core/records.ts';
import { AGENT_COLUMNS, agentRow } from './agents.ts';
import { BODY_COLUMNS, taskBody } from './bodies.ts';
import { prepare, type Query } from './connection.ts';
import type { KnownRun, KnownTask, Memory } from './memory.ts';
import type { Payloads } from './payloads.ts';
import { RUN_COLUMNS, runRow, TASK_COLUMNS, TASK_TABLES, taskRow, type Values } from './rows.ts';

const task = `SELECT ${TASK_COLUMNS} FROM ${TASK_TABLES}`;
const open = 't.status NOT IN (7, 8, 9, 10)';

/** The names of lines lie between "line " and "line!". */
function nextLine(after: string): string {
  return `SELECT parked FROM task WHERE parked IS NOT NULL AND parked > ${after} AND parked < 'line!'
    ORDER BY parked LIMIT 1`;
}

export const sourceSql = {
  task: `${task} WHERE t.task_id = ?`,
  body: `SELECT ${BODY_COLUMNS} FROM task t JOIN event b ON b.cursor = t.body_cursor WHERE t.n = ?`,
  run: `SELECT ${RUN_COLUMNS} FROM run WHERE workflow_id = ?`,
  openTasks: `${task} WHERE t.workflow_id = ? AND ${open} ORDER BY t.n`,
  taskIds: 'SELECT coalesce(id, task_id), task_id FROM task WHERE workflow_id = ? ORDER BY n',
  key: 'SELECT key, run_key, body_hash FROM idempotency WHERE key = ?',
  document: 'SELECT text, version FROM document WHERE collection = ? AND key = ?',
  agent: `SELECT ${AGENT_COLUMNS} FROM agents WHERE name = ?`,
  dueTasks: `${task} WHERE t.due_at IS NOT NULL AND t.owner IS NULL AND t.due_at <= ? ORDER BY t.due_at, t.n LIMIT ?`,
  nextDue: `SELECT due_at FROM task WHERE due_at IS NOT NULL AND owner IS NULL AND due_at > ? ORDER BY due_at LIMIT 1`,
  heldTasks: `${task} WHERE t.owner IN (SELECT value FROM json_each(?)) ORDER BY t.n LIMIT ?`,
  lineTasks: `${task} WHERE t.parked = ? ORDER BY t.rank, t.n LIMIT ?`,
  /** From each to the one after it, however many wait in them. */
  lines: `WITH RECURSIVE line (name) AS (
      SELECT * FROM (${nextLine('?1')})
      UNION ALL SELECT (${nextLine('line.name')}) FROM line WHERE line.name IS NOT NULL LIMIT ?2
    ) SELECT name FROM line WHERE name IS NOT NULL`,
  prunable: `SELECT key FROM (
    SELECT * FROM (SELECT settled_at, task_id AS key FROM task
      WHERE settled_at IS NOT NULL AND workflow_id IS NULL AND settled_at < ?1 ORDER BY 1, 2 LIMIT ?2)
    UNION ALL SELECT * FROM (SELECT settled_at, workflow_id AS key FROM run
      WHERE settled_at IS NOT NULL AND settled_at < ?1 ORDER BY 1, 2 LIMIT ?2)
  ) ORDER BY settled_at, key LIMIT ?2`,
} as const;

export type SourceQueries = Readonly<Record<keyof typeof sourceSql, Query>>;

export function sourceQueries(db: DatabaseSync): SourceQueries {
  const entries = Object.entries(sourceSql).map(([name, sql]) => [name, prepare(db, sql)]);
  return Object.fromEntries(entries) as SourceQueries;
}

/** The tables as the decisions of one commit read them. Remembers what it read: nothing changes until they are done. */
export class SqliteSource implements Source {
  readonly tasks = new Map<string, KnownTask>();
  readonly runs = new Map<string, KnownRun>();
  readonly #queries: SourceQueries;
  readonly #memory: Memory;
  readonly #payloads: Payloads;

  constructor(queries: SourceQueries, memory: Memory, payloads: Payloads) {
    this.#queries = queries;
    this.#memory = memory;
    this.#payloads = payloads;
  }

  task(task_id: string): TaskRow | null {
    return this.known(task_id)?.row ?? null;
  }

  known(task_id: string): KnownTask | null {
    const known = this.tasks.get(task_id);
    if (known !== undefined) return known;
    const { held, waiting } = this.#memory;
    const remembered = held.get(task_id) ?? waiting.get(task_id);
    if (remembered !== undefined) {
      this.tasks.set(task_id, remembered);
      return remembered;
    }
    const values = this.#queries.task.first(task_id);
    return values === undefined ? null : this.#remember(values);
  }

  body(task_id: string): TaskBody | null {
    const known = this.known(task_id);
    if (known?.body !== undefined) return known.body;
    const values = known === null ? undefined : this.#queries.body.first(known.n);
    if (known === null || values === undefined) return null;
    const shape = this.#memory.shapes.shapeOf(values[1] as number | string);
    const params = this.#payloads.text(values[4], () => this.runNumber(known), values[2]);
    return taskBody(task_id, values, { at: 0, shape, params });
  }

  /** The number under which a task's run keeps its events and payloads. */
  runNumber({ n, row }: KnownTask): number {
    return row.workflow_id === null ? n : (this.knownRun(row.workflow_id)?.n ?? n);
  }

  run(workflow_id: string): RunRow | null {
    return this.knownRun(workflow_id)?.row ?? null;
  }

  knownRun(workflow_id: string): KnownRun | null {
    const known = this.runs.get(workflow_id) ?? this.#memory.runs.get(workflow_id);
    if (known !== undefined) return known;
    const values = this.#queries.run.first(workflow_id);
    if (values === undefined) return null;
    const run: KnownRun = { n: values[0] as number, row: runRow(values) };
    this.runs.set(workflow_id, run);
    return run;
  }

  openTasks(workflow_id: string): TaskRow[] {
    return this.#rows(this.#queries.openTasks.all(workflow_id));
  }

  taskIds(workflow_id: string): Record<string, string> {
    return Object.fromEntries(this.#queries.taskIds.all(workflow_id) as [string, string][]);
  }

  key(key: string): KeyRow | null {
    const values = this.#queries.key.first(key) as [string, string, string] | undefined;
    return values === undefined ? null : { key, run_key: values[1], body_hash: values[2] };
  }

  document(collection: string, key: string): DocumentRow | null {
    const values = this.#queries.document.first(collection, key) as [string, number] | undefined;
    return values === undefined ? null : { collection, key, text: values[0], version: values[1] };
  }

  agent(name: string): AgentRow | null {
    const values = this.#queries.agent.first(name);
    return values === undefined ? null : agentRow(values);
  }

  engine(owner: string): EngineRow | null {
    return this.#memory.engines.row(owner);
  }

  dueTasks(now: number, limit: number): TaskRow[] {
    return this.#rows(this.#queries.dueTasks.all(now, limit));
  }

  nextDue(now: number): number | null {
    return (this.#queries.nextDue.first(now)?.[0] as number | undefined) ?? null;
  }

  lostTasks(now: number, limit: number): TaskRow[] {
    return this.#heldBy(this.#memory.engines.lostNumbers(now), limit);
  }

  heldTasks(owner: string): TaskRow[] {
    const number = this.#memory.engines.numberOf(owner);
    return number === null ? [] : this.#heldBy([number], -1);
  }

  #heldBy(engines: readonly number[], limit: number): TaskRow[] {
    return this.#rows(this.#queries.heldTasks.all(JSON.stringify(engines), limit));
  }

  lineTasks(line: string, limit: number): TaskRow[] {
    return this.#rows(this.#queries.lineTasks.all(line, limit));
  }

  lines(after: string | null, limit: number): string[] {
    return this.#queries.lines.all(after ?? 'line ', limit).map(([name]) => name as string);
  }

  lostEngines(now: number): EngineRow[] {
    return this.#memory.engines.rows().filter(({ alive_until }) => alive_until < now);
  }

  prunable(before: number, limit: number): string[] {
    return this.#queries.prunable.all(before, limit).map(([key]) => key as string);
  }

  #rows(all: readonly Values[]): TaskRow[] {
    return all.map((values) => this.#remember(values).row);
  }

  #remember(values: Values): KnownTask {
    const known = { n: values[0] as number, row: taskRow(values, this.#memory.engines.nameOf) };
    this.tasks.set(known.row.task_id, known);
    return known;
  }
}
