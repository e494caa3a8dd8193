import type { DocumentQuery, Page, StoreReads } from '../../core/ports/store.ts';
import type { ResultRow } from '../../core/records.ts';
import { payloadsOf } from './claim.ts';
import { documentKey, type SimulatedData } from './data.ts';
import { badCursor, pageOf } from './page.ts';
import { compareText, rowsOf } from './source.ts';
import { statsOf } from './stats.ts';

/** What a store answers at once, from the state as it is now. */
export type ReadsNow = {
  [Name in keyof StoreReads]: (
    ...query: Parameters<StoreReads[Name]>
  ) => Awaited<ReturnType<StoreReads[Name]>>;
};

export function readsOf(data: SimulatedData): ReadsNow {
  return {
    ...recordReads(data),
    ...resultReads(data),
    ...listReads(data),
    events: (query) => data.events.page(query),
    cursor: () => data.events.cursor,
    stats: () => statsOf(data),
    engines: () => [...data.engines.keys()].sort(compareText),
  };
}

function recordReads(data: SimulatedData): Pick<ReadsNow, 'task' | 'run' | 'document' | 'agent'> {
  return {
    task: (task_id) => {
      const task = data.tasks.get(task_id);
      const body = data.bodies.get(task_id);
      return task === undefined || body === undefined ? null : { task, body };
    },
    run: (workflow_id) => {
      const run = data.runs.get(workflow_id);
      return run === undefined ? null : { run, input: data.inputs.get(workflow_id) ?? '' };
    },
    agent: (name) => data.agents.get(name) ?? null,
    document: (collection, key) => data.documents.get(documentKey(collection, key)) ?? null,
  };
}

function resultReads(data: SimulatedData): Pick<ReadsNow, 'result' | 'runResults' | 'payloads'> {
  return {
    result: (task_id) => data.results.get(task_id) ?? null,
    runResults: (workflow_id) => {
      const rows = rowsOf(data, data.tasksOfRun.ids(workflow_id)).filter((row) => row.workflow_id !== null);
      const results = rows.map((row): [string, ResultRow | undefined] => [
        row.id,
        data.results.get(row.task_id),
      ]);
      return Object.fromEntries(
        results.filter((entry): entry is [string, ResultRow] => entry[1] !== undefined),
      );
    },
    payloads: (task_id) => {
      const task = data.tasks.get(task_id);
      const body = data.bodies.get(task_id);
      return task === undefined || body === undefined ? null : payloadsOf(data, task, body);
    },
  };
}

function listReads(data: SimulatedData): Pick<ReadsNow, 'tasks' | 'runs' | 'documents' | 'agents'> {
  return {
    tasks: (query) => {
      const ids =
        query.workflow_id === undefined ? data.tasks.keys() : data.tasksOfRun.ids(query.workflow_id);
      const rows = rowsOf(data, ids).filter(
        (row) =>
          (query.workflow_id === undefined || row.workflow_id === query.workflow_id) &&
          (query.status?.includes(row.status) ?? true) &&
          (query.priority?.includes(row.priority) ?? true) &&
          createdWithin(row, query),
      );
      return pageOf(rows, query, (row) => data.orderOf(row.task_id));
    },
    runs: (query) => {
      const rows = [...data.runs.values()].filter(
        (row) =>
          (query.status?.includes(row.status) ?? true) &&
          (query.name === undefined || row.name === query.name) &&
          createdWithin(row, query),
      );
      return pageOf(rows, query, (row) => data.orderOfRun(row.workflow_id));
    },
    documents: (collection, page) => {
      const { prefix = '' } = page;
      const rows = [...data.documents.values()].filter(
        (row) => row.collection === collection && row.key.startsWith(prefix),
      );
      return pageByName(rows, page, ({ key }) => key);
    },
    agents: (page) => {
      const { protocol } = page;
      const rows = [...data.agents.values()].filter(
        (row) => protocol === undefined || row.protocol === protocol,
      );
      return pageByName(rows, page, ({ name }) => name);
    },
  };
}

function createdWithin(
  row: { created_at: number },
  query: { created_from?: number; created_to?: number },
): boolean {
  if (query.created_from !== undefined && row.created_at < query.created_from) return false;
  return query.created_to === undefined || row.created_at < query.created_to;
}

/** The cursor is the name of the last one shown, marked so that a foreign one is told apart. */
function pageByName<Row>(
  rows: readonly Row[],
  page: Pick<DocumentQuery, 'limit' | 'cursor'>,
  nameOf: (row: Row) => string,
): Page<Row> {
  const after = page.cursor === undefined ? null : nameInCursor(page.cursor);
  const sorted = [...rows].sort((a, b) => compareText(nameOf(a), nameOf(b)));
  const rest = after === null ? sorted : sorted.filter((row) => compareText(nameOf(row), after) > 0);
  const items = rest.slice(0, page.limit);
  const last = items.at(-1);
  return { items, next_cursor: rest.length > items.length && last !== undefined ? `k${nameOf(last)}` : null };
}

function nameInCursor(cursor: string): string {
  if (!cursor.startsWith('k')) throw badCursor(cursor);
  return cursor.slice(1);
}
