import type { Happening } from '../../core/events.ts';

/**
 * Events as text, as short as is simple: they are most of what a commit writes. The third place says which task it was
 * where that is not the run itself (a task alone is its own run); null for none.
 */
type Entry = readonly [event: string, data: object, task_id?: string | null];

export function eventsText(events: readonly Happening[], run_key: string | null): string {
  return JSON.stringify(events.map((happening) => entryOf(happening, run_key)));
}

function entryOf({ event, data, task_id }: Happening, run_key: string | null): Entry {
  return task_id === run_key ? [event, data] : [event, data, task_id ?? null];
}

export function eventsFrom(text: string, run_key: string | null): Happening[] {
  const entries: readonly Entry[] = JSON.parse(text);
  return entries.map(([event, data, task_id = run_key]) => {
    const happening = task_id === null ? { event, data } : { event, task_id, data };
    // What was written by eventsText is what is read here: the event and its data belong together.
    return happening as Happening;
  });
}
