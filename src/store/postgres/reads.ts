import type { StoreReads } from '../../core/ports/store.ts';
import type { ResultRow } from '../../core/records.ts';
import { agentOf, listAgents, readAgent } from './agents.ts';
import { isStorable, texts } from './arrays.ts';
import { readEvents } from './event-reads.ts';
import { inputOf, inputsFrom, readInputs } from './inputs.ts';
import { listDocuments, listRuns, listTasks } from './pages.ts';
import type { Reader } from './reader.ts';
import {
  BODY_WIDTH,
  bodyColumns,
  bodyOf,
  claimOfTask,
  documentOf,
  hasResult,
  RUN_WIDTH,
  resultColumns,
  resultOf,
  runColumns,
  runInput,
  runOf,
  TASK_WIDTH,
  taskColumns,
  taskOf,
  text,
} from './rows.ts';
import type { Row, Statement } from './statement.ts';
import { readStats } from './stats.ts';

const readTask: Statement = {
  name: 'task',
  text: `SELECT ${taskColumns}, ${bodyColumns} FROM task t JOIN task_body b ON b.n = t.n ${claimOfTask}
    WHERE t.task_id = $1::text`,
};

const readRun: Statement = {
  name: 'run',
  text: `SELECT ${runColumns}, ${runInput('r.workflow_id')} FROM run r WHERE r.workflow_id = $1::text`,
};

const readResult: Statement = {
  name: 'result',
  text: `SELECT ${resultColumns} FROM task t WHERE t.task_id = $1::text AND ${hasResult}`,
};

const readRunResults: Statement = {
  name: 'run_results',
  text: `SELECT coalesce(t.id, t.task_id), ${resultColumns} FROM task t
    WHERE t.workflow_id = $1::text AND ${hasResult} ORDER BY t.n`,
};

const readPayloads: Statement = {
  name: 'payloads',
  text: `SELECT ${bodyColumns}, CASE WHEN b.uses_input THEN ${runInput('t.workflow_id')} END
    FROM task t JOIN task_body b ON b.n = t.n WHERE t.task_id = $1::text`,
};

const readCursor: Statement = { name: 'cursor', text: 'SELECT last FROM feed' };

const readEngines: Statement = {
  name: 'engines',
  text: 'SELECT owner FROM engine ORDER BY owner COLLATE "C"',
};

const readDocument: Statement = {
  name: 'document',
  text: `SELECT collection, key, content, version FROM document WHERE collection = $1::text AND key = $2::text`,
};

export function readsOf(reader: Reader): StoreReads {
  return {
    ...recordReads(reader),
    ...resultReads(reader),
    tasks: (query) => listTasks(reader, query),
    runs: (query) => listRuns(reader, query),
    events: (query) => readEvents(reader, query),
    async cursor() {
      return Number((await reader.rows(readCursor))[0]?.[0]);
    },
    documents: (collection, page) => listDocuments(reader, collection, page),
    agents: (page) => listAgents(reader, page),
    stats: () => readStats(reader),
    async engines() {
      return (await reader.rows(readEngines)).map(([owner]) => text(owner));
    },
  };
}

/** What cannot be stored was never stored. */
async function one(reader: Reader, statement: Statement, ...key: string[]): Promise<Row | null> {
  if (!key.every(isStorable)) return null;
  return (await reader.rows(statement, key))[0] ?? null;
}

function recordReads(reader: Reader): Pick<StoreReads, 'task' | 'run' | 'document' | 'agent'> {
  return {
    async task(task_id) {
      const row = await one(reader, readTask, task_id);
      return row === null ? null : { task: taskOf(row), body: bodyOf(row, TASK_WIDTH) };
    },
    async run(workflow_id) {
      const row = await one(reader, readRun, workflow_id);
      return row === null ? null : { run: runOf(row), input: text(row[RUN_WIDTH]) };
    },
    async agent(name) {
      const row = await one(reader, readAgent, name);
      return row === null ? null : agentOf(row);
    },
    async document(collection, key) {
      const row = await one(reader, readDocument, collection, key);
      return row === null ? null : documentOf(row);
    },
  };
}

function resultReads(reader: Reader): Pick<StoreReads, 'result' | 'runResults' | 'payloads'> {
  return {
    async result(task_id) {
      const row = await one(reader, readResult, task_id);
      return row === null ? null : resultOf(row);
    },
    async runResults(workflow_id) {
      if (!isStorable(workflow_id)) return {};
      const rows = await reader.rows(readRunResults, [workflow_id]);
      return Object.fromEntries(rows.map((row): [string, ResultRow] => [text(row[0]), resultOf(row, 1)]));
    },
    async payloads(task_id) {
      const row = await one(reader, readPayloads, task_id);
      if (row === null) return null;
      const { params, inputs: ids } = bodyOf(row);
      const wanted = Object.values(ids);
      const rows = wanted.length === 0 ? [] : await reader.rows(readInputs, [texts(wanted)]);
      const inputs = inputsFrom(new Map(rows.map(inputOf)), ids);
      return { params, inputs, run_input: row[BODY_WIDTH] ?? null };
    },
  };
}
