import type { DatabaseSync } from 'node:sqlite';
import type { Changes, RunHappenings } from '../../core/changes.ts';
import type { Happening } from '../../core/events.ts';
import type { ResultRow, TaskBody, TaskRow } from '../../core/records.ts';
import { wiringText } from './bodies.ts';
import { type Insert, prepareInsert, type Value } from './connection.ts';
import { damaged } from './errors.ts';
import { carries, eventsText } from './event-text.ts';
import type { Memory } from './memory.ts';
import type { Payloads } from './payloads.ts';
import { attemptsText } from './rows.ts';

/** A row of the log, numbered. `task_id` is the one whose body or result it holds. */
type LogRow = {
  readonly of: RunHappenings;
  readonly events: readonly Happening[];
  readonly cursor: number;
  readonly first_seq: number;
  readonly holds: { readonly what: 'body' | 'result'; readonly task_id: string } | null;
};

/** The log of one commit, and in which of its rows the bodies and results of tasks lie. */
export type NumberedLog = {
  readonly rows: readonly LogRow[];
  readonly cursor: number;
  readonly bodies: ReadonlyMap<string, number>;
  readonly results: ReadonlyMap<string, number>;
};

/** Numbers what happened, from the newest number there is on. */
export function numberLog(happenings: readonly RunHappenings[], newest: number): NumberedLog {
  const rows: LogRow[] = [];
  const bodies = new Map<string, number>();
  const results = new Map<string, number>();
  let cursor = newest;
  for (const of of happenings) {
    let { first_seq } = of;
    for (const { events, holds } of partsOf(of.events)) {
      cursor += events.length;
      rows.push({ of, events, cursor, first_seq, holds });
      first_seq += events.length;
      if (holds !== null) (holds.what === 'body' ? bodies : results).set(holds.task_id, cursor);
    }
  }
  return { rows, cursor, bodies, results };
}

type Part = Pick<LogRow, 'events' | 'holds'>;

/** A row has room for one body or result: the next one begins another row. */
function partsOf(events: readonly Happening[]): Part[] {
  const parts: Part[] = [];
  let begin = 0;
  let holds: LogRow['holds'] = null;
  for (const [index, happening] of events.entries()) {
    const what = carries(happening);
    if (what === null) continue;
    if (holds !== null) {
      parts.push({ events: events.slice(begin, index), holds });
      begin = index;
    }
    holds = { what, task_id: happening.task_id ?? '' };
  }
  parts.push({ events: begin === 0 ? events : events.slice(begin), holds });
  return parts;
}

export const logSql = {
  plain: 'INSERT INTO event (cursor, run_n, task_n, first_seq, at, events) VALUES (?, ?, ?, ?, ?, ?)',
  body: `INSERT INTO event (cursor, run_n, task_n, first_seq, at, events, hash, name, shape, wiring, text)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  result: `INSERT INTO event (cursor, run_n, task_n, first_seq, at, events, hash, attempts, text)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
} as const;

type Tables = { readonly memory: Memory; readonly payloads: Payloads };

/** What the rows hold, by task. */
export type Holdings = {
  readonly bodies: ReadonlyMap<string, TaskBody>;
  readonly results: ReadonlyMap<string, { readonly result: ResultRow; readonly row: TaskRow }>;
};

export function holdingsOf({ newTasks, tasks, results }: Changes): Holdings {
  const resultOf = new Map(results.map((result) => [result.task_id, result]));
  const completed: [string, { result: ResultRow; row: TaskRow }][] = [];
  if (resultOf.size > 0) {
    for (const row of [...tasks, ...newTasks.map((task) => task.row)]) {
      const result = resultOf.get(row.task_id);
      if (result !== undefined) completed.push([row.task_id, { result, row }]);
    }
  }
  return { bodies: new Map(newTasks.map(({ body }) => [body.task_id, body])), results: new Map(completed) };
}

type Writing = {
  readonly holdings: Holdings;
  /** Under which number a run, or a task by itself, is stored. */
  readonly numberOf: (of: RunHappenings) => number | null;
  readonly now: number;
};

export class LogWriter {
  readonly #tables: Tables;
  readonly #inserts: Readonly<Record<keyof typeof logSql, Insert>>;

  constructor(db: DatabaseSync, tables: Tables) {
    this.#tables = tables;
    const entries = Object.entries(logSql).map(([name, sql]) => [name, prepareInsert(db, sql)]);
    this.#inserts = Object.fromEntries(entries) as Readonly<Record<keyof typeof logSql, Insert>>;
  }

  write(log: NumberedLog, writing: Writing): void {
    const rows: Record<keyof typeof logSql, Value[][]> = { plain: [], body: [], result: [] };
    for (const row of log.rows) {
      const n = writing.numberOf(row.of);
      const [run_n, task_n] = row.of.workflow_id === null ? [null, n] : [n, null];
      const events = eventsText(row.events, row.of.run_key);
      const values = [row.cursor, run_n, task_n, row.first_seq, writing.now, events];
      if (row.holds !== null) values.push(...this.#held(row.holds, writing.holdings, n ?? 0));
      rows[row.holds?.what ?? 'plain'].push(values);
    }
    for (const kind of ['plain', 'body', 'result'] as const) this.#inserts[kind](rows[kind]);
    this.#tables.memory.cursor = log.cursor;
  }

  #held({ what, task_id }: NonNullable<LogRow['holds']>, holdings: Holdings, run_n: number): Value[] {
    const { payloads, memory } = this.#tables;
    if (what === 'body') {
      const body = holdings.bodies.get(task_id);
      if (body === undefined) throw damaged(`the new task ${task_id} has no body`);
      const { params_hash, spec } = body;
      const params = payloads.keep(body.params, run_n, params_hash);
      return [params_hash, spec.name, memory.shapes.valueOf(spec), wiringText(body), params];
    }
    const completed = holdings.results.get(task_id);
    if (completed === undefined) throw damaged(`the completed task ${task_id} has no result`);
    const { result, hash } = completed.result;
    return [hash, attemptsText(completed.row.attempts), payloads.keep(result, run_n, hash)];
  }
}
