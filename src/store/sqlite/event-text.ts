import { introduce } from '../../core/decisions/submit.ts';
import type { Happening } from '../../core/events.ts';
import type { TaskBody } from '../../core/records.ts';
import { priorityCodes, priorityOf } from './codes.ts';

/**
 * Events as text, as short as it goes: they are much of what a commit writes. A task's id is left out where it is the
 * one before (at first the run's own), the three steps that begin every attempt are one entry, and what stands in the
 * same row of the log is not said again.
 */
type Entry =
  | [introduced: 'q' | 'w', Who, priority: number, id?: string]
  | [begun: 'b', Who, provider: string | null, attempt: number, started_at: number]
  | [completed: 'c', Who, attempt: number]
  | [other: 'e', Who, event: string, data: object];

/** 0: the same task as before; null: no task. */
type Who = 0 | string | null;

/** Whether an event comes with something that its row of the log holds: a task's body, or its result. */
export function carries(happening: Happening): 'body' | 'result' | null {
  if (happening.event === 'task:completed' || happening.event === 'task:reused') return 'result';
  const introduces = happening.event === 'task:queued' || happening.event === 'task:waiting';
  return introduces && happening.data.reason === 'submitted' && happening.data.task !== undefined
    ? 'body'
    : null;
}

export function eventsText(events: readonly Happening[], run_key: string | null): string {
  const entries: Entry[] = [];
  let before: string | null | undefined = run_key;
  for (let index = 0; index < events.length; index++) {
    const happening = events[index] as Happening;
    const { task_id } = happening;
    const who: Who = task_id === undefined ? null : task_id === before ? 0 : task_id;
    if (task_id !== undefined) before = task_id;
    const begun = beginning(events, index);
    if (begun === null) entries.push(entryOf(happening, who));
    else {
      entries.push(['b', who, ...begun]);
      index += 2;
    }
  }
  return JSON.stringify(entries);
}

function entryOf({ event, task_id, data }: Happening, who: Who): Entry {
  if (event === 'task:completed') return ['c', who, data.attempt];
  if (
    (event === 'task:queued' || event === 'task:waiting') &&
    data.reason === 'submitted' &&
    data.task !== undefined
  ) {
    const kind = event === 'task:queued' ? 'q' : 'w';
    const { id, priority } = data.task;
    return id === task_id ? [kind, who, priorityCodes[priority]] : [kind, who, priorityCodes[priority], id];
  }
  return ['e', who, event, data];
}

function beginning(
  events: readonly Happening[],
  index: number,
): [provider: string | null, attempt: number, started_at: number] | null {
  const first = events[index];
  if (first?.event !== 'task:validated') return null;
  const second = events[index + 1];
  const third = events[index + 2];
  if (second?.event !== 'task:routed' || third?.event !== 'task:started') return null;
  if (second.task_id !== first.task_id || third.task_id !== first.task_id) return null;
  if (second.data.via !== undefined) return null;
  return [second.data.provider, third.data.attempt, third.data.started_at];
}

/** What stands in the same row: the hash of a result, or a task's body. */
export type Carried = { readonly hash: string; body(): Pick<TaskBody, 'spec' | 'params_hash'> };

export function eventsFrom(text: string, run_key: string | null, carried: Carried): Happening[] {
  const happenings: Happening[] = [];
  let before = run_key ?? '';
  for (const entry of JSON.parse(text) as Entry[]) {
    const who = entry[1];
    if (typeof who === 'string') before = who;
    happenings.push(...happeningsOf(entry, who === null ? {} : { task_id: before }, carried));
  }
  return happenings;
}

function happeningsOf(entry: Entry, task: { task_id?: string }, carried: Carried): Happening[] {
  switch (entry[0]) {
    case 'q':
    case 'w': {
      const row = { id: entry[3] ?? task.task_id ?? '', priority: priorityOf(entry[2]) };
      const data = { reason: 'submitted', task: introduce(row, carried.body()) } as const;
      return [{ event: entry[0] === 'q' ? 'task:queued' : 'task:waiting', ...task, data }];
    }
    case 'b': {
      const [, , provider, attempt, started_at] = entry;
      return [
        { event: 'task:validated', ...task, data: {} },
        { event: 'task:routed', ...task, data: { provider } },
        { event: 'task:started', ...task, data: { attempt, started_at } },
      ];
    }
    case 'c':
      return [{ event: 'task:completed', ...task, data: { attempt: entry[2], result_hash: carried.hash } }];
    case 'e':
      return [{ event: entry[2], ...task, data: entry[3] } as Happening];
  }
}
