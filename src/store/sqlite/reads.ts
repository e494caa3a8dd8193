import type { DatabaseSync } from 'node:sqlite';
import type { StoreReads, TaskPayloads } from '../../core/ports/store.ts';
import type { ResultRow } from '../../core/records.ts';
import { AGENT_COLUMNS, agentRow } from './agents.ts';
import { BODY_COLUMNS, taskBody } from './bodies.ts';
import { prepare, type Query } from './connection.ts';
import { EngineBook } from './engines.ts';
import { EventReads } from './event-reads.ts';
import { Inputs, inputsRecord } from './inputs.ts';
import { Lists } from './lists.ts';
import { Payloads } from './payloads.ts';
import { RUN_COLUMNS, runRow, TASK_COLUMNS, TASK_TABLES, TASK_WIDTH, taskRow, type Values } from './rows.ts';
import { ShapeBook } from './shapes.ts';
import { StatsReads } from './stats.ts';

/** Reads as they run in the reader's thread: at once, each in a transaction of its own. */
export type ReadsNow = {
  [Name in keyof StoreReads]: (
    ...query: Parameters<StoreReads[Name]>
  ) => Awaited<ReturnType<StoreReads[Name]>>;
};

const runNumber =
  'iif(t.workflow_id IS NULL, t.n, (SELECT n FROM run WHERE run.workflow_id = t.workflow_id))';
const result = `SELECT coalesce(t.id, t.task_id), t.task_id, coalesce(t.workflow_id, t.task_id), s.text, s.hash, s.at,
  ${runNumber} FROM task t JOIN event s ON s.cursor = t.result_cursor`;

export const readSql = {
  task: `SELECT ${TASK_COLUMNS}, ${BODY_COLUMNS}, ${runNumber} FROM ${TASK_TABLES}
    JOIN event b ON b.cursor = t.body_cursor WHERE t.task_id = ?`,
  run: `SELECT ${RUN_COLUMNS}, input FROM run WHERE workflow_id = ?`,
  result: `${result} WHERE t.task_id = ?`,
  runResults: `${result} WHERE t.workflow_id = ? ORDER BY t.n`,
  engines: 'SELECT owner FROM engine WHERE alive_until IS NOT NULL ORDER BY owner',
  agent: `SELECT ${AGENT_COLUMNS} FROM agents WHERE name = ?`,
  document: 'SELECT text, version FROM document WHERE collection = ? AND key = ?',
} as const;

export function sqliteReads(db: DatabaseSync): ReadsNow {
  const entries = Object.entries(readSql).map(([name, sql]) => [name, prepare(db, sql)]);
  const payloads = new Payloads(db);
  const parts: Parts = {
    queries: Object.fromEntries(entries) as Parts['queries'],
    payloads,
    inputs: new Inputs(db, payloads),
    engines: new EngineBook(db),
    shapes: new ShapeBook(db),
  };
  const lists = new Lists(db, parts.engines.nameOf);
  const events = new EventReads(db, parts.shapes);
  const stats = new StatsReads(db);
  const records = recordReads(parts);
  return {
    ...records,
    ...resultReads(parts),
    payloads: (task_id) => payloadsOf(parts.inputs, records, task_id),
    tasks: (query) => lists.tasks(query),
    runs: (query) => lists.runs(query),
    documents: (collection, page) => lists.documents(collection, page),
    agents: (page) => lists.agents(page),
    events: (query) => events.page(query),
    cursor: () => events.newest(),
    stats: () => stats.read(),
    engines: () => parts.queries.engines.all().map(([owner]) => owner as string),
  };
}

type Parts = {
  readonly queries: Readonly<Record<keyof typeof readSql, Query>>;
  readonly payloads: Payloads;
  readonly inputs: Inputs;
  readonly engines: EngineBook;
  readonly shapes: ShapeBook;
};

function recordReads(parts: Parts): Pick<ReadsNow, 'task' | 'run' | 'document' | 'agent'> {
  const { queries, payloads, engines, shapes } = parts;
  return {
    task: (task_id) => {
      const values = queries.task.first(task_id);
      if (values === undefined) return null;
      const at = TASK_WIDTH;
      const shape = shapes.shapeOf(values[at + 1] as number | string);
      const params = payloads.text(values[at + 4], () => values[at + 5] as number, values[at + 2]);
      return {
        task: taskRow(values, engines.nameOf),
        body: taskBody(task_id, values, { at, shape, params }),
      };
    },
    run: (workflow_id) => {
      const values = queries.run.first(workflow_id);
      if (values === undefined) return null;
      const run = runRow(values);
      return { run, input: payloads.text(values[14], () => values[0] as number, run.input_hash) };
    },
    agent: (name) => {
      const values = queries.agent.first(name);
      return values === undefined ? null : agentRow(values);
    },
    document: (collection, key) => {
      const values = queries.document.first(collection, key) as [string, number] | undefined;
      return values === undefined ? null : { collection, key, text: values[0], version: values[1] };
    },
  };
}

type ResultValues = [
  id: string,
  task_id: string,
  run_key: string,
  text: string | null,
  hash: string,
  at: number,
  run_n: number,
];

function payloadsOf(
  inputs: Inputs,
  { task, run }: Pick<ReadsNow, 'task' | 'run'>,
  task_id: string,
): TaskPayloads | null {
  const found = task(task_id);
  if (found === null) return null;
  const { params, uses_input, inputs: wanted } = found.body;
  const { workflow_id } = found.task;
  const run_input = uses_input && workflow_id !== null ? (run(workflow_id)?.input ?? null) : null;
  return { params, inputs: inputsRecord(inputs.all(wanted)), run_input };
}

function resultReads({ queries, payloads }: Parts): Pick<ReadsNow, 'result' | 'runResults'> {
  const resultRow = (values: Values): [id: string, row: ResultRow] => {
    const [id, task_id, run_key, text, hash, stored_at, run_n] = values as ResultValues;
    return [id, { task_id, run_key, result: payloads.text(text, () => run_n, hash), hash, stored_at }];
  };
  return {
    result: (task_id) => {
      const values = queries.result.first(task_id);
      return values === undefined ? null : resultRow(values)[1];
    },
    runResults: (workflow_id) => Object.fromEntries(queries.runResults.all(workflow_id).map(resultRow)),
  };
}
