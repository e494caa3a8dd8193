import type { DocumentRow } from '../../core/changes.ts';
import type { DocumentQuery, StoreReads } from '../../core/ports/store.ts';
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
  };
}

function recordReads(data: SimulatedData): Pick<ReadsNow, 'task' | 'run' | 'document'> {
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

function listReads(data: SimulatedData): Pick<ReadsNow, 'tasks' | 'runs' | 'documents'> {
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
      rows.sort((a, b) => compareText(a.key, b.key));
      return documentPage(rows, page);
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

/** The cursor of a document is the key before it, marked so that a foreign one is told apart. */
function documentPage(rows: readonly DocumentRow[], page: DocumentQuery) {
  const after = page.cursor === undefined ? null : documentCursor(page.cursor);
  const rest = after === null ? rows : rows.filter((row) => compareText(row.key, after) > 0);
  const items = rest.slice(0, page.limit);
  const last = items.at(-1);
  return { items, next_cursor: rest.length > items.length && last !== undefined ? `k${last.key}` : null };
}

function documentCursor(cursor: string): string {
  if (!cursor.startsWith('k')) throw badCursor(cursor);
  return cursor.slice(1);
}
