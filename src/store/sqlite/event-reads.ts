import type { DatabaseSync } from 'node:sqlite';
import { type Event, type EventRow, eventsOf } from '../../core/events.ts';
import type { EventPage, EventQuery } from '../../core/ports/store.ts';
import { taskBody } from './bodies.ts';
import { prepare, type Query } from './connection.ts';
import { eventsFrom } from './event-text.ts';
import type { Values } from './rows.ts';
import type { ShapeBook } from './shapes.ts';

const columns = `e.cursor, coalesce(r.workflow_id, t.task_id), r.workflow_id, e.first_seq, e.at, e.events, e.hash, e.name,
  e.shape, e.hash, e.wiring`;
const tables = 'event e LEFT JOIN task t ON t.n = e.task_n LEFT JOIN run r ON r.n = e.run_n';

export const eventSql = {
  all: `SELECT ${columns} FROM ${tables} WHERE e.cursor > ? ORDER BY e.cursor LIMIT ?`,
  one: `SELECT ${columns} FROM ${tables} WHERE e.cursor = ? AND e.cursor > ?`,
  ofRun: `SELECT ${columns} FROM ${tables} WHERE e.run_n = ? AND e.cursor > ? ORDER BY e.cursor LIMIT ?`,
  ofTask: `SELECT ${columns} FROM ${tables}
    WHERE e.task_n = ? AND e.hash IS NULL AND e.cursor > ? ORDER BY e.cursor LIMIT ?`,
  run: 'SELECT n FROM run WHERE workflow_id = ?',
  task: 'SELECT n, body_cursor, result_cursor, workflow_id FROM task WHERE task_id = ?',
  newest: 'SELECT cursor FROM meta',
} as const;

/** Rows looked at before a page is handed out although it is not full: a filter may pass over any number of them. */
const MOST_ROWS = 20_000;
const CHUNK = 200;

/** The log, read from any number on. To be called within a transaction: what is newest must not move meanwhile. */
export class EventReads {
  readonly #queries: Readonly<Record<keyof typeof eventSql, Query>>;
  readonly #shapes: ShapeBook;

  constructor(db: DatabaseSync, shapes: ShapeBook) {
    const entries = Object.entries(eventSql).map(([name, sql]) => [name, prepare(db, sql)]);
    this.#queries = Object.fromEntries(entries) as Readonly<Record<keyof typeof eventSql, Query>>;
    this.#shapes = shapes;
  }

  newest(): number {
    return this.#queries.newest.first()?.[0] as number;
  }

  page(query: EventQuery): EventPage {
    const events: Event[] = [];
    let seen = 0;
    for (const row of this.#rows(query)) {
      if (seen++ >= MOST_ROWS)
        return { events, cursor: Math.max(query.after, row.cursor - row.events.length), more: true };
      for (const event of eventsOf(row)) {
        if (event.cursor <= query.after || !matches(event, query)) continue;
        if (events.length === query.limit)
          return { events, cursor: events.at(-1)?.cursor ?? query.after, more: true };
        events.push(event);
      }
    }
    return { events, cursor: Math.max(query.after, this.newest()), more: false };
  }

  *#rows({ after, workflow_id, task_id }: EventQuery): Generator<EventRow> {
    const { all, ofRun, ofTask } = this.#queries;
    if (workflow_id === undefined && task_id === undefined) {
      yield* this.#chunks(after, (from) => all.all(from, CHUNK));
      return;
    }
    const task = task_id === undefined ? undefined : this.#queries.task.first(task_id);
    const runId = workflow_id ?? (task?.[3] as string | null | undefined) ?? null;
    const n = (runId === null ? task : this.#queries.run.first(runId))?.[0] as number | undefined;
    if (n === undefined) return;
    if (runId !== null) yield* this.#chunks(after, (from) => ofRun.all(n, from, CHUNK));
    else {
      yield* this.#one(task?.[1], after);
      yield* this.#chunks(after, (from) => ofTask.all(n, from, CHUNK));
      yield* this.#one(task?.[2], after);
    }
  }

  *#chunks(after: number, read: (after: number) => readonly Values[]): Generator<EventRow> {
    for (let from = after; ; ) {
      const rows = read(from);
      for (const values of rows) yield this.#row(values);
      if (rows.length < CHUNK) return;
      from = rows.at(-1)?.[0] as number;
    }
  }

  /** Where the log of a lone task begins or ends. */
  *#one(cursor: unknown, after: number): Generator<EventRow> {
    const values = cursor === null ? undefined : this.#queries.one.first(cursor as number, after);
    if (values !== undefined) yield this.#row(values);
  }

  #row(values: Values): EventRow {
    const [cursor, run_key, workflow_id, first_seq, at, text, hash] = values as [
      number,
      string | null,
      string | null,
      number,
      number,
      string,
      string,
    ];
    const body = () => {
      const shape = this.#shapes.shapeOf(values[8] as number | string);
      return taskBody('', values, { at: 7, shape, params: '' });
    };
    return { cursor, run_key, workflow_id, first_seq, at, events: eventsFrom(text, run_key, { hash, body }) };
  }
}

function matches(event: Event, { workflow_id, task_id, events }: EventQuery): boolean {
  if (workflow_id !== undefined && event.workflow_id !== workflow_id) return false;
  if (task_id !== undefined && event.task_id !== task_id) return false;
  return events === undefined || events.includes(event.event);
}
