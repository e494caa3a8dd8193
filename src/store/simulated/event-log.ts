import type { RunHappenings } from '../../core/changes.ts';
import { type Event, type EventRow, eventsOf } from '../../core/events.ts';
import type { EventPage, EventQuery } from '../../core/ports/store.ts';
import { freeze } from './freeze.ts';

/** The log: one row for each run and commit, numbered without gaps in the order of the commits. */
export class EventLog {
  #rows: EventRow[] = [];
  readonly #rowsOfRun = new Map<string, EventRow[]>();
  #cursor = 0;

  /** The number of the newest event there ever was, whether or not it has been pruned. */
  get cursor(): number {
    return this.#cursor;
  }

  append(happenings: readonly RunHappenings[], at: number): void {
    for (const { run_key, workflow_id, first_seq, events } of happenings) {
      this.#cursor += events.length;
      const row: EventRow = freeze({ cursor: this.#cursor, run_key, workflow_id, first_seq, at, events });
      this.#rows.push(row);
      if (run_key === null) continue;
      const rows = this.#rowsOfRun.get(run_key);
      if (rows === undefined) this.#rowsOfRun.set(run_key, [row]);
      else rows.push(row);
    }
  }

  remove(run_key: string): void {
    if (!this.#rowsOfRun.delete(run_key)) return;
    this.#rows = this.#rows.filter((row) => row.run_key !== run_key);
  }

  page(query: EventQuery): EventPage {
    const rows =
      query.workflow_id === undefined ? this.#rows : (this.#rowsOfRun.get(query.workflow_id) ?? []);
    const events: Event[] = [];
    for (let index = firstAfter(rows, query.after); index < rows.length; index++) {
      for (const event of eventsOf(rows[index] as EventRow)) {
        if (event.cursor <= query.after || !matches(event, query)) continue;
        if (events.length === query.limit)
          return { events, cursor: events.at(-1)?.cursor ?? query.after, more: true };
        events.push(event);
      }
    }
    return { events, cursor: Math.max(query.after, this.#cursor), more: false };
  }
}

function matches(event: Event, query: EventQuery): boolean {
  if (query.workflow_id !== undefined && event.workflow_id !== query.workflow_id) return false;
  if (query.task_id !== undefined && event.task_id !== query.task_id) return false;
  return query.events === undefined || query.events.includes(event.event);
}

function firstAfter(rows: readonly EventRow[], after: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] as EventRow).cursor > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
