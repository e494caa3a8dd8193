import type { Happening, TaskIntroduction } from '../../core/events.ts';

/**
 * Events as text, as short as it goes: they are most of what a commit writes. A task's id is left out where it is the
 * one before (at first the run's own), the three steps that begin every attempt are one entry, and what introduces a
 * task is read from the task itself.
 */
type Entry =
  | ['q' | 'w', Who]
  | ['b', Who, provider: string | null, attempt: number, started_at: number]
  | ['c', Who, attempt: number, result_hash: string]
  | ['e', Who, event: string, data: object];

/** 0: the same task as before; null: no task. */
type Who = 0 | string | null;

export function eventsText(events: readonly Happening[], run_key: string | null): string {
  const entries: Entry[] = [];
  let before: string | null | undefined = run_key;
  for (let index = 0; index < events.length; index++) {
    const happening = events[index] as Happening;
    const who: Who =
      happening.task_id === undefined ? null : happening.task_id === before ? 0 : happening.task_id;
    if (happening.task_id !== undefined) before = happening.task_id;
    const begun = beginning(events, index);
    if (begun === null) entries.push(entryOf(happening, who));
    else {
      entries.push(['b', who, ...begun]);
      index += 2;
    }
  }
  return JSON.stringify(entries);
}

function entryOf(happening: Happening, who: Who): Entry {
  const { event, data } = happening;
  if (event === 'task:completed') return ['c', who, data.attempt, data.result_hash];
  if (event === 'task:queued' && data.reason === 'submitted' && data.task !== undefined) return ['q', who];
  if (event === 'task:waiting' && data.reason === 'submitted' && data.task !== undefined) return ['w', who];
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
  return [second.data.provider, third.data.attempt, third.data.started_at];
}

export type Introduce = (task_id: string) => TaskIntroduction;

export function eventsFrom(text: string, run_key: string | null, introduce: Introduce): Happening[] {
  const happenings: Happening[] = [];
  let before = run_key ?? '';
  for (const entry of JSON.parse(text) as Entry[]) {
    const who = entry[1];
    if (typeof who === 'string') before = who;
    addEntry(happenings, entry, { ...(who === null ? {} : { task_id: before }), introduce });
  }
  return happenings;
}

function addEntry(
  happenings: Happening[],
  entry: Entry,
  { introduce, ...task }: { task_id?: string; introduce: Introduce },
): void {
  switch (entry[0]) {
    case 'q':
    case 'w': {
      const data = { reason: 'submitted', task: introduce(task.task_id ?? '') } as const;
      happenings.push({ event: entry[0] === 'q' ? 'task:queued' : 'task:waiting', ...task, data });
      break;
    }
    case 'b': {
      const [, , provider, attempt, started_at] = entry;
      happenings.push({ event: 'task:validated', ...task, data: {} });
      happenings.push({ event: 'task:routed', ...task, data: { provider } });
      happenings.push({ event: 'task:started', ...task, data: { attempt, started_at } });
      break;
    }
    case 'c':
      happenings.push({
        event: 'task:completed',
        ...task,
        data: { attempt: entry[2], result_hash: entry[3] },
      });
      break;
    case 'e':
      happenings.push({ event: entry[2], ...task, data: entry[3] } as Happening);
      break;
  }
}
