import type { DocumentRow } from '../../core/changes.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { DocumentQuery, Page, RunQuery, TaskQuery } from '../../core/ports/store.ts';
import type { RunRow, TaskRow } from '../../core/records.ts';
import { afterAll } from '../document-keys.ts';
import { isStorable, texts } from './arrays.ts';
import type { Reader } from './reader.ts';
import {
  claimOfTask,
  documentOf,
  runColumns,
  runOf,
  runOrder,
  taskColumns,
  taskOf,
  taskOrder,
} from './rows.ts';
import type { Row, Value } from './statement.ts';

/*
 * Pages in the order of acceptance. A cursor is the place of the last row shown, so that rows that come or go move
 * nothing. Statements are put together from the conditions a query has; there are few, and each has a name of its own.
 */

type Condition = {
  readonly name: string;
  readonly sql: (parameter: string) => string;
  readonly value: Value;
};

type ListQuery = Pick<TaskQuery, 'order' | 'limit' | 'cursor' | 'created_from' | 'created_to'>;

export async function listTasks(reader: Reader, query: TaskQuery): Promise<Page<TaskRow>> {
  if (!storable(query.workflow_id)) return { items: [], next_cursor: null };
  const { workflow_id, status } = query;
  const bySource = workflow_id === undefined && status !== undefined && !status.includes('completed');
  const page = await list(reader, query, {
    name: bySource ? 'tasks_by_status' : 'tasks',
    select: bySource ? openTasks : allTasks,
    alias: 't',
    conditions: [
      ...equal('run', 't.workflow_id', workflow_id),
      ...anyOf('status', 't.status', status),
      ...anyOf('priority', 't.priority', query.priority),
    ],
    orderOf: taskOrder,
  });
  return { ...page, items: page.items.map(taskOf) };
}

type Select = (rest: { readonly where: string; readonly order: string }) => string;

const allTasks: Select = ({ where, order }) =>
  `SELECT ${taskColumns} FROM task t ${claimOfTask} ${where} ${order}`;

/** Where tasks of other statuses than completed are found: see queue.ts. */
const openTasks: Select = ({ where, order }) =>
  `SELECT ${taskColumns} FROM (
    SELECT n FROM ready WHERE 'queued' = ANY($2::text[])
    UNION ALL SELECT n FROM held UNION ALL SELECT n FROM listed WHERE status = ANY($2::text[])
    UNION ALL SELECT w.n FROM run r JOIN task w ON w.workflow_id = r.workflow_id
      WHERE 'waiting' = ANY($2::text[]) AND r.status IN ('running', 'paused') AND w.status = 'waiting'
  ) AS place JOIN task t ON t.n = place.n ${claimOfTask} ${where} ${order}`;

export async function listRuns(reader: Reader, query: RunQuery): Promise<Page<RunRow>> {
  if (!storable(query.name)) return { items: [], next_cursor: null };
  const page = await list(reader, query, {
    name: 'runs',
    select: ({ where, order }) => `SELECT ${runColumns} FROM run r ${where} ${order}`,
    alias: 'r',
    conditions: [...anyOf('status', 'r.status', query.status), ...equal('name', 'r.name', query.name)],
    orderOf: runOrder,
  });
  return { ...page, items: page.items.map(runOf) };
}

export async function listDocuments(
  reader: Reader,
  collection: string,
  { limit, cursor, prefix }: DocumentQuery,
): Promise<Page<DocumentRow>> {
  if (cursor !== undefined && !cursor.startsWith('k')) throw badCursor(cursor);
  const after = cursor === undefined ? null : cursor.slice(1);
  if (!storable(collection) || !storable(after ?? undefined) || !storable(prefix))
    return { items: [], next_cursor: null };
  const statement = {
    name: prefix === undefined ? 'documents' : 'documents_by_prefix',
    text: `SELECT collection, key, content, version FROM document
      WHERE collection = $1::text AND ($2::text IS NULL OR key > $2::text COLLATE "C")
      ${prefix === undefined ? '' : 'AND key >= $4::text AND key < $5::text'} ORDER BY key LIMIT $3::bigint`,
  };
  const range = prefix === undefined ? [] : [prefix, afterAll(prefix)];
  const rows = await reader.rows(statement, [collection, after, limit + 1, ...range]);
  const items = rows.slice(0, limit).map(documentOf);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last !== undefined ? `k${last.key}` : null };
}

type List = {
  readonly name: string;
  readonly select: Select;
  readonly alias: string;
  readonly conditions: readonly Condition[];
  readonly orderOf: (row: Row) => number;
};

async function list(
  reader: Reader,
  query: ListQuery,
  { name, select, alias, conditions, orderOf }: List,
): Promise<Page<Row>> {
  const oldestFirst = query.order === 'oldest';
  const all = [
    ...conditions,
    ...compare('from', `${alias}.created_at >=`, query.created_from),
    ...compare('to', `${alias}.created_at <`, query.created_to),
    ...compare('after', `${alias}.n ${oldestFirst ? '>' : '<'}`, placeOf(query.cursor)),
  ];
  const where = all.map(({ sql }, index) => sql(`$${index + 2}`)).join(' AND ');
  const direction = oldestFirst ? 'ASC' : 'DESC';
  const statement = {
    name: [name, direction.toLowerCase(), ...all.map((condition) => condition.name)].join('_'),
    text: select({
      where: where === '' ? '' : `WHERE ${where}`,
      order: `ORDER BY ${alias}.n ${direction} LIMIT $1::bigint`,
    }),
  };
  const rows = await reader.rows(statement, [query.limit + 1, ...all.map(({ value }) => value)]);
  const items = rows.slice(0, query.limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > query.limit && last !== undefined ? `o${orderOf(last)}` : null };
}

function placeOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^o\d{1,15}$/.test(cursor)) throw badCursor(cursor);
  return Number(cursor.slice(1));
}

export function badCursor(cursor: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `"${cursor}" is no cursor of this list`, {
    field: 'cursor',
    hint: 'use next_cursor of the page before, or leave it out to start over',
  });
}

function anyOf(name: string, column: string, values: readonly string[] | undefined): Condition[] {
  if (values === undefined) return [];
  return [{ name, sql: (parameter) => `${column} = ANY(${parameter}::text[])`, value: texts(values) }];
}

function equal(name: string, column: string, value: string | undefined): Condition[] {
  return value === undefined ? [] : [{ name, sql: (parameter) => `${column} = ${parameter}::text`, value }];
}

function compare(name: string, left: string, value: number | undefined): Condition[] {
  return value === undefined ? [] : [{ name, sql: (parameter) => `${left} ${parameter}::bigint`, value }];
}

function storable(value: string | undefined): boolean {
  return value === undefined || isStorable(value);
}
