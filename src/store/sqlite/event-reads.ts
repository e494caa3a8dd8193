import type { DatabaseSync } from 'node:sqlite';
import { introduce } from '../../core/decisions/submit.ts';
import { type Event, type EventRow, eventsOf, type TaskIntroduction } from '../../core/events.ts';
import type { EventPage, EventQuery } from '../../core/ports/store.ts';
import { BODY_COLUMNS, taskBody } from './bodies.ts';
import { priorityOf } from './codes.ts';
import { prepare, type Query } from './connection.ts';
import { damaged } from './errors.ts';
import { eventsFrom } from './event-text.ts';
import type { Values } from './rows.ts';
import type { ShapeBook } from './shapes.ts';

const columns = 'e.cursor, coalesce(r.workflow_id, t.task_id), r.workflow_id, e.first_seq, e.at, e.events';
const tables = 'LEFT JOIN task t ON t.n = e.run_n LEFT JOIN run r ON r.n = e.run_n';

export const eventSql = {
  all: `SELECT ${columns} FROM event e ${tables} WHERE e.cursor > ? ORDER BY e.cursor LIMIT ?`,
  first: `SELECT ${columns} FROM event e ${tables} WHERE e.cursor = ? AND e.cursor > ?`,
  ofRun: `SELECT ${columns} FROM event e ${tables}
    WHERE e.run_n = ? AND e.first_seq > 1 AND e.cursor > ? ORDER BY e.cursor LIMIT ?`,
  run: 'SELECT n, first_cursor FROM run WHERE workflow_id = ?',
  task: 'SELECT n, first_cursor, workflow_id FROM task WHERE task_id = ?',
  newest: 'SELECT cursor FROM meta',
  introduction: `SELECT t.id, t.priority, ${BODY_COLUMNS}
    FROM task t JOIN task_body b ON b.n = t.n WHERE t.task_id = ?`,
} as const;

/** Rows looked at before a page is handed out although it is not full: a filter may pass over any number of them. */
const MOST_ROWS = 20_000;
const CHUNK = 200;

type Log = { readonly n: number; readonly first_cursor: number | null };

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

  *#rows(query: EventQuery): Generator<EventRow> {
    const whole = query.workflow_id === undefined && query.task_id === undefined;
    const log = whole ? null : this.#logOf(query);
    if (!whole && log === null) return;
    let { after } = query;
    if (log !== null) yield* this.#queries.first.all(log.first_cursor, after).map((row) => this.#row(row));
    for (;;) {
      const rows =
        log === null ? this.#queries.all.all(after, CHUNK) : this.#queries.ofRun.all(log.n, after, CHUNK);
      yield* rows.map((row) => this.#row(row));
      if (rows.length < CHUNK) return;
      after = rows.at(-1)?.[0] as number;
    }
  }

  /** A task's events lie with its run. */
  #logOf({ workflow_id, task_id }: EventQuery): Log | null {
    const task = task_id === undefined ? undefined : this.#queries.task.first(task_id);
    const of = workflow_id ?? (task?.[2] as string | null | undefined) ?? null;
    const values = of === null ? task : this.#queries.run.first(of);
    if (values === undefined) return null;
    return { n: values[0] as number, first_cursor: values[1] as number | null };
  }

  #row(values: Values): EventRow {
    const [cursor, run_key, workflow_id, first_seq, at, text] = values as [
      number,
      string | null,
      string | null,
      number,
      number,
      string,
    ];
    return {
      cursor,
      run_key,
      workflow_id,
      first_seq,
      at,
      events: eventsFrom(text, run_key, this.#introduce),
    };
  }

  readonly #introduce = (task_id: string): TaskIntroduction => {
    const values = this.#queries.introduction.first(task_id);
    if (values === undefined) throw damaged(`the task ${task_id} of an event is not there`);
    const shape = this.#shapes.shapeOf(values[3] as number | string);
    const body = taskBody(task_id, values, { at: 2, shape, params: '' });
    return introduce({ id: (values[0] as string | null) ?? task_id, priority: priorityOf(values[1]) }, body);
  };
}

function matches(event: Event, { workflow_id, task_id, events }: EventQuery): boolean {
  if (workflow_id !== undefined && event.workflow_id !== workflow_id) return false;
  if (task_id !== undefined && event.task_id !== task_id) return false;
  return events === undefined || events.includes(event.event);
}
