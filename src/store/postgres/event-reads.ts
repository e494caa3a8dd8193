import { type Event, eventsOf } from '../../core/events.ts';
import type { EventPage, EventQuery } from '../../core/ports/store.ts';
import { isStorable } from './arrays.ts';
import type { Reader } from './reader.ts';
import { eventColumns, eventRowOf } from './rows.ts';
import type { Statement } from './statement.ts';

const CHUNK = 500;

/*
 * Each row brings the newest number of the same snapshot with it, so that a reader who goes on from that misses nothing
 * that was committed in between. Where there are no events, one row has only that.
 */
function reading(name: string, where: string): Statement {
  const text = `SELECT f.last, e.* FROM feed f LEFT JOIN LATERAL (
      SELECT ${eventColumns} FROM event e LEFT JOIN task_body b ON e.lone AND b.n = e.run_n
      WHERE e.cursor > $1::bigint ${where} ORDER BY e.cursor LIMIT $2::bigint
    ) AS e ON true ORDER BY e.cursor`;
  return { name, text };
}

const allEvents = reading('events', '');
const eventsOfRun = reading(
  'events_of_run',
  'AND e.run_n = (SELECT n FROM run WHERE workflow_id = $3::text)',
);
/** A task's events lie with its run; those of one that is alone under its own number. */
const eventsOfTask = reading(
  'events_of_task',
  `AND e.run_n = (SELECT coalesce(r.n, t.n) FROM task t LEFT JOIN run r ON r.workflow_id = t.workflow_id
    WHERE t.task_id = $3::text)`,
);

/** Reads on until the page is full or there is no more: a filter may pass over any number of rows. */
export async function readEvents(reader: Reader, query: EventQuery): Promise<EventPage> {
  const { workflow_id, task_id, limit, events: names } = query;
  const key = workflow_id ?? task_id;
  const statement =
    workflow_id !== undefined ? eventsOfRun : task_id === undefined ? allEvents : eventsOfTask;
  // Rows are of one run already.
  const isWanted = (event: Event) =>
    (task_id === undefined || event.task_id === task_id) &&
    (names === undefined || names.includes(event.event));
  const events: Event[] = [];
  // A row is found by its last number; one that straddles the place where a page ended is read again.
  for (let after = query.after; ; ) {
    if (key !== undefined && !isStorable(key)) return { events, cursor: query.after, more: false };
    const rows = await reader.rows(statement, [after, CHUNK, ...(key === undefined ? [] : [key])]);
    const newest = Number(rows[0]?.[0]);
    const found = rows.filter((row) => row[1] !== null).map((row) => eventRowOf(row, 1));
    for (const row of found) {
      for (const event of eventsOf(row)) {
        if (event.cursor <= query.after || !isWanted(event)) continue;
        if (events.length === limit)
          return { events, cursor: events.at(-1)?.cursor ?? query.after, more: true };
        events.push(event);
      }
      after = row.cursor;
    }
    if (found.length < CHUNK) return { events, cursor: Math.max(query.after, newest), more: false };
  }
}
