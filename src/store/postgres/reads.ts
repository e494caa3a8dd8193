import type { StoreReads, TaskInput } from '../../core/ports/store.ts';
import type { ResultRow } from '../../core/records.ts';
import { isStorable, texts } from './arrays.ts';
import { readEvents } from './event-reads.ts';
import { inputOf, inputsFrom, readInputs } from './inputs.ts';
import { listDocuments, listRuns, listTasks } from './pages.ts';
import type { Reader } from './reader.ts';
import {
  bodyColumns,
  bodyOf,
  claimOfTask,
  documentOf,
  hasResult,
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

const readTask: Statement = {
  name: 'task',
  text: `SELECT ${taskColumns}, ${bodyColumns} FROM task t JOIN task_body b ON b.n = t.n ${claimOfTask}
    WHERE t.task_id = $1::text`,
};

const RUN_WIDTH = 13;
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

const readInputIds: Statement = {
  name: 'input_ids',
  text: `SELECT b.inputs FROM task t JOIN task_body b ON b.n = t.n WHERE t.task_id = $1::text AND b.inputs IS NOT NULL`,
};

const readCursor: Statement = { name: 'cursor', text: 'SELECT last FROM feed' };

const readDocument: Statement = {
  name: 'document',
  text: `SELECT collection, key, content, version FROM document WHERE collection = $1::text AND key = $2::text`,
};

const readStats: Statement = {
  name: 'stats',
  text: `SELECT 'task', status, count(*) FROM task GROUP BY status
    UNION ALL SELECT 'run', status, count(*) FROM run GROUP BY status`,
};

export function readsOf(reader: Reader): StoreReads {
  /** What cannot be stored was never stored. */
  const one = async (statement: Statement, ...key: string[]): Promise<Row | null> => {
    if (!key.every(isStorable)) return null;
    return (await reader.rows(statement, key))[0] ?? null;
  };
  return {
    async task(task_id) {
      const row = await one(readTask, task_id);
      return row === null ? null : { task: taskOf(row), body: bodyOf(row, TASK_WIDTH) };
    },
    async run(workflow_id) {
      const row = await one(readRun, workflow_id);
      return row === null ? null : { run: runOf(row), input: text(row[RUN_WIDTH]) };
    },
    async result(task_id) {
      const row = await one(readResult, task_id);
      return row === null ? null : resultOf(row);
    },
    async runResults(workflow_id) {
      if (!isStorable(workflow_id)) return {};
      const rows = await reader.rows(readRunResults, [workflow_id]);
      return Object.fromEntries(rows.map((row): [string, ResultRow] => [text(row[0]), resultOf(row, 1)]));
    },
    async inputs(task_id): Promise<Record<string, TaskInput>> {
      const wanted = (await one(readInputIds, task_id))?.[0];
      if (wanted == null) return {};
      const ids: Record<string, string> = JSON.parse(wanted);
      const rows = await reader.rows(readInputs, [texts(Object.values(ids))]);
      return inputsFrom(new Map(rows.map(inputOf)), ids);
    },
    tasks: (query) => listTasks(reader, query),
    runs: (query) => listRuns(reader, query),
    events: (query) => readEvents(reader, query),
    async cursor() {
      return Number((await reader.rows(readCursor))[0]?.[0]);
    },
    async document(collection, key) {
      const row = await one(readDocument, collection, key);
      return row === null ? null : documentOf(row);
    },
    documents: (collection, page) => listDocuments(reader, collection, page),
    async stats() {
      const rows = await reader.rows(readStats);
      const count = (table: string) =>
        Object.fromEntries(rows.filter((row) => row[0] === table).map((row) => [row[1], Number(row[2])]));
      return { tasks: count('task'), runs: count('run') };
    },
  };
}
