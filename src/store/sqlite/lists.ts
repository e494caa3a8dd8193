import type { DatabaseSync } from 'node:sqlite';
import type { AgentRow } from '../../core/agent.ts';
import type { DocumentRow } from '../../core/changes.ts';
import type { AgentQuery, DocumentQuery, Page, RunQuery, TaskQuery } from '../../core/ports/store.ts';
import type { RunRow, TaskRow } from '../../core/records.ts';
import { afterAll } from '../document-keys.ts';
import { AGENT_COLUMNS, agentRow } from './agents.ts';
import { priorityCodes, runStatusCodes, taskStatusCodes } from './codes.ts';
import { prepare, type Query, type Value } from './connection.ts';
import { keyFrom, numberFrom, pageOf } from './pages.ts';
import {
  type OwnerName,
  RUN_COLUMNS,
  runRow,
  TASK_COLUMNS,
  TASK_TABLES,
  taskRow,
  type Values,
} from './rows.ts';

/** One way into a table: the rows it finds are read from an index, in the order of their numbers. */
type Way = { readonly from: string; readonly where: string; readonly values: readonly Value[] };

type Range = { readonly where: string; readonly values: readonly Value[]; readonly order: 'ASC' | 'DESC' };

type ListQuery = Pick<TaskQuery, 'order' | 'limit' | 'cursor' | 'created_from' | 'created_to'>;

/** Pages in the order of acceptance. Statements are put together from what a query asks for, and kept. */
export class Lists {
  readonly #db: Pick<DatabaseSync, 'prepare'>;
  readonly #ownerName: OwnerName;
  readonly #prepared = new Map<string, Query>();

  constructor(db: Pick<DatabaseSync, 'prepare'>, ownerName: OwnerName) {
    this.#db = db;
    this.#ownerName = ownerName;
  }

  tasks(query: TaskQuery): Page<TaskRow> {
    const range = this.#range('task', query);
    const rows = this.#rows(waysToTasks(query), range, {
      limit: query.limit + 1,
      select: (chosen) => `SELECT ${TASK_COLUMNS} FROM ${TASK_TABLES} WHERE t.n IN (${chosen}) ORDER BY t.n`,
    });
    return pageOf(rows, query.limit, {
      item: (values) => taskRow(values, this.#ownerName),
      cursor: numbered,
    });
  }

  runs(query: RunQuery): Page<RunRow> {
    const range = this.#range('run', query);
    const rows = this.#rows(waysToRuns(query), range, {
      limit: query.limit + 1,
      select: (chosen) => `SELECT ${RUN_COLUMNS} FROM run WHERE n IN (${chosen}) ORDER BY n`,
    });
    return pageOf(rows, query.limit, { item: runRow, cursor: numbered });
  }

  documents(collection: string, { limit, cursor, prefix }: DocumentQuery): Page<DocumentRow> {
    const conditions: [sql: string, value: string][] = [['collection = ?', collection]];
    if (cursor !== undefined) conditions.push(['key > ?', keyFrom(cursor)]);
    if (prefix !== undefined) conditions.push(['key >= ?', prefix], ['key < ?', afterAll(prefix)]);
    const sql = `SELECT collection, key, text, version FROM document
      WHERE ${conditions.map(([condition]) => condition).join(' AND ')} ORDER BY key LIMIT ?`;
    const values = [...conditions.map(([, value]) => value), limit + 1];
    return pageOf(this.#query(sql).all(...values), limit, {
      item: documentRow,
      cursor: (row) => `k${row[1]}`,
    });
  }

  agents({ limit, cursor, protocol }: AgentQuery): Page<AgentRow> {
    const conditions: [sql: string, value: string][] = [];
    if (cursor !== undefined) conditions.push(['name > ?', keyFrom(cursor)]);
    if (protocol !== undefined) conditions.push(['protocol = ?', protocol]);
    const where =
      conditions.length === 0 ? '' : `WHERE ${conditions.map(([condition]) => condition).join(' AND ')}`;
    const sql = `SELECT ${AGENT_COLUMNS} FROM agents ${where} ORDER BY name LIMIT ?`;
    const values = [...conditions.map(([, value]) => value), limit + 1];
    return pageOf(this.#query(sql).all(...values), limit, { item: agentRow, cursor: (row) => `k${row[1]}` });
  }

  #rows(
    ways: readonly Way[],
    range: Range,
    { limit, select }: { limit: number; select: (chosen: string) => string },
  ): readonly Values[] {
    if (ways.length === 0) return [];
    const order = `ORDER BY n ${range.order} LIMIT ${limit}`;
    const found = ways.map(
      ({ from, where }) => `SELECT n FROM (SELECT n FROM ${from} WHERE ${where} ${range.where} ${order})`,
    );
    const sql = `${select(`SELECT n FROM (${found.join(' UNION ALL ')}) ${order}`)} ${range.order}`;
    return this.#query(sql).all(...ways.flatMap(({ values }) => [...values, ...range.values]));
  }

  #range(table: 'task' | 'run', query: ListQuery): Range {
    const oldest = query.order === 'oldest';
    const conditions: [sql: string, value: number][] = [];
    if (query.cursor !== undefined) conditions.push([`n ${oldest ? '>' : '<'} ?`, numberFrom(query.cursor)]);
    if (query.created_from !== undefined)
      conditions.push(['n >= ?', this.#firstFrom(table, query.created_from)]);
    if (query.created_to !== undefined) conditions.push(['n < ?', this.#firstFrom(table, query.created_to)]);
    return {
      where: conditions.map(([sql]) => ` AND ${sql}`).join(''),
      values: conditions.map(([, value]) => value),
      order: oldest ? 'ASC' : 'DESC',
    };
  }

  /** The number of the first record created then or later. Times grow with the numbers, so halving finds it. */
  #firstFrom(table: 'task' | 'run', created_at: number): number {
    const at = this.#query(`SELECT n, created_at FROM ${table} WHERE n >= ? ORDER BY n LIMIT 1`);
    let low = 0;
    let high = 1 + Number(this.#query(`SELECT coalesce(max(n), 0) FROM ${table}`).first()?.[0]);
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const values = at.first(middle) as [number, number] | undefined;
      if (values === undefined || values[1] >= created_at) high = middle;
      else low = values[0] + 1;
    }
    return low;
  }

  #query(sql: string): Query {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    if (this.#prepared.size >= 100) this.#prepared.clear();
    const query = prepare(this.#db, sql);
    this.#prepared.set(sql, query);
    return query;
  }
}

function waysToTasks({ workflow_id, status, priority }: TaskQuery): Way[] {
  const codes = status?.map((word) => taskStatusCodes[word]);
  const wanted =
    priority === undefined ? '' : ` AND flags & 3 IN (${priority.map((word) => priorityCodes[word])})`;
  if (workflow_id !== undefined) {
    const among = codes === undefined ? '' : ` AND status IN (${codes})`;
    const where = `workflow_id = ?${among}${wanted}`;
    return [{ from: 'task INDEXED BY task_of_run', where, values: [workflow_id] }];
  }
  if (codes === undefined) return [{ from: 'task NOT INDEXED', where: `true${wanted}`, values: [] }];
  return [...new Set(codes)].flatMap((code) => waysToStatus(code, wanted));
}

/** Queued tasks are ready, parked or held; those neither queued nor completed have an index of their own. */
function waysToStatus(code: number, wanted: string): Way[] {
  const way = (from: string, where: string) => ({
    from: `task ${from}`,
    where: `${where}${wanted}`,
    values: [],
  });
  if (code === taskStatusCodes.completed) return [way('NOT INDEXED', `status = ${code}`)];
  if (code !== taskStatusCodes.queued)
    return [way('INDEXED BY task_by_status', `status = ${code} AND status <> 1 AND status <> 7`)];
  return [
    way('INDEXED BY task_ready', 'place = 0'),
    way('INDEXED BY task_parked', 'place = 1'),
    way('INDEXED BY task_held', `owner IS NOT NULL AND status = ${code}`),
  ];
}

function waysToRuns({ name, status }: RunQuery): Way[] {
  const codes = status?.map((word) => runStatusCodes[word]);
  if (name !== undefined) {
    const among = codes === undefined ? '' : ` AND status IN (${codes})`;
    return [{ from: 'run INDEXED BY run_by_name', where: `name = ?${among}`, values: [name] }];
  }
  if (codes === undefined) return [{ from: 'run NOT INDEXED', where: 'true', values: [] }];
  return [...new Set(codes)].map((code) =>
    code === runStatusCodes.completed
      ? { from: 'run NOT INDEXED', where: `status = ${code}`, values: [] }
      : { from: 'run INDEXED BY run_by_status', where: `status = ${code} AND status <> 2`, values: [] },
  );
}

function numbered(values: Values): string {
  return `o${values[0]}`;
}

function documentRow(values: Values): DocumentRow {
  const [collection, key, text, version] = values as [string, string, string, number];
  return { collection, key, text, version };
}
