import type { DocumentRow } from '../../core/changes.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { Page, RunQuery, TaskQuery } from '../../core/ports/store.ts';
import type { RunRow, TaskRow } from '../../core/records.ts';
import { type TaskStatus, taskStatuses } from '../../core/task.ts';
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
import type { Row, Value } from './session.ts';

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
  const inRun = query.workflow_id !== undefined;
  const page = await list(reader, query, {
    name: inRun ? 'tasks_of_run' : 'tasks',
    select: inRun ? tasksOfRun : tasksByStatus,
    alias: 't',
    conditions: [
      ...(inRun ? equal('run', 't.workflow_id', query.workflow_id) : []),
      ...(inRun ? anyOf('status', 't.status', query.status) : statusesOf(query.status ?? taskStatuses)),
      ...anyOf('priority', 't.priority', query.priority),
    ],
    orderOf: taskOrder,
  });
  return { ...page, items: page.items.map(taskOf) };
}

type Select = (rest: { readonly where: string; readonly order: string }) => string;

const tasksOfRun: Select = ({ where, order }) =>
  `SELECT ${taskColumns} FROM task t ${claimOfTask} ${where} ${order}`;

/** There is an index of tasks by status and none of all of them: the first of each status are merged. */
const tasksByStatus: Select = ({ where, order }) =>
  `SELECT ${taskColumns} FROM unnest($2::text[]) AS s (status) CROSS JOIN LATERAL (
    SELECT t.* FROM task t ${where} ${order}
  ) AS t ${claimOfTask} ${order}`;

function statusesOf(statuses: readonly TaskStatus[]): Condition[] {
  const sql = (parameter: string) => `t.status = s.status AND ${parameter}::text[] IS NOT NULL`;
  return [{ name: 'status', sql, value: texts([...new Set(statuses)]) }];
}

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
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<DocumentRow>> {
  if (cursor !== undefined && !cursor.startsWith('k')) throw badCursor(cursor);
  const after = cursor === undefined ? null : cursor.slice(1);
  if (!storable(collection) || !storable(after ?? undefined)) return { items: [], next_cursor: null };
  const statement = {
    name: 'documents',
    text: `SELECT collection, key, content, version FROM document
      WHERE collection = $1::text AND ($2::text IS NULL OR key > $2::text COLLATE "C")
      ORDER BY key LIMIT $3::bigint`,
  };
  const rows = await reader.rows(statement, [collection, after, limit + 1]);
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

function badCursor(cursor: string): GleitzeitError {
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
