import type { ResultOf } from '../../api/methods.ts';
import type { Event, EventName } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';

/** An event ready to be sent: its text is made once, however many hear of it. */
export type Told = {
  readonly cursor: number;
  readonly event: EventName;
  readonly task_id: string | undefined;
  readonly workflow_id: string | null;
  /** JSON of the event as it goes over the wire. */
  readonly text: string;
};

export function tell(event: Event): Told {
  const { cursor, task_id, workflow_id } = event;
  return { cursor, event: event.event, task_id, workflow_id, text: JSON.stringify(onTheWire(event)) };
}

/** Times are text outside, and what an event does not belong to is left out. */
export function onTheWire({ cursor, event, at, task_id, workflow_id, seq, data }: Event): EventItem {
  return {
    cursor,
    event,
    at: timeText(at),
    ...(task_id === undefined ? {} : { task_id }),
    ...(workflow_id === null ? {} : { workflow_id }),
    ...(seq === 0 ? {} : { seq }),
    data: timesAsText(data) as JsonObject,
  };
}

type EventItem = ResultOf<'event.list'>['items'][number];

const times = ['started_at', 'due_at'];

function timesAsText(data: object): object {
  const entries = Object.entries(data);
  if (!entries.some(([key]) => times.includes(key))) return data;
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      times.includes(key) && typeof value === 'number' ? timeText(value) : value,
    ]),
  );
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
