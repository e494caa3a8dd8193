import type { RunHappenings } from '../../core/changes.ts';
import { introduce } from '../../core/decisions/submit.ts';
import type { Happening } from '../../core/events.ts';
import type { Priority } from '../../core/priority.ts';
import type { TaskBody } from '../../core/records.ts';

/**
 * Events as text, as short as is simple: they are much of what a commit writes. The steps that begin every attempt are
 * one entry, and a task alone is introduced by its body. The task stands last, where it is not the run itself (a task
 * alone is its own run); null for none.
 */
type Entry =
  | readonly [queued: 'q', priority: Priority]
  | readonly [
      begun: 'b',
      provider: string | null,
      attempt: number,
      started_at: number,
      task_id?: string | null,
    ]
  | readonly [other: 'e', event: string, data: object, task_id?: string | null];

type Who = readonly [task_id?: string | null];

export function eventsText({ events, run_key, workflow_id }: Omit<RunHappenings, 'first_seq'>): string {
  const entries: Entry[] = [];
  for (let index = 0; index < events.length; index++) {
    const happening = events[index] as Happening;
    const who: Who = happening.task_id === run_key ? [] : [happening.task_id ?? null];
    const begun = beginning(events, index);
    if (begun !== null) {
      entries.push(['b', ...begun, ...who]);
      index += 2;
    } else if (
      happening.event === 'task:queued' &&
      workflow_id === null &&
      happening.data.task !== undefined
    ) {
      entries.push(['q', happening.data.task.priority]);
    } else entries.push(['e', happening.event, happening.data, ...who]);
  }
  return JSON.stringify(entries);
}

type Beginning = readonly [provider: string | null, attempt: number, started_at: number];

function beginning(events: readonly Happening[], index: number): Beginning | null {
  const first = events[index];
  if (first?.event !== 'task:validated') return null;
  const second = events[index + 1];
  const third = events[index + 2];
  if (second?.event !== 'task:routed' || third?.event !== 'task:started') return null;
  if (second.task_id !== first.task_id || third.task_id !== first.task_id) return null;
  if (second.data.via !== undefined) return null;
  return [second.data.provider, third.data.attempt, third.data.started_at];
}

/** `body`: what introduces the task that is the run. */
export function eventsFrom(
  text: string,
  run_key: string | null,
  body: () => Pick<TaskBody, 'spec' | 'params_hash'>,
): Happening[] {
  const entries: readonly Entry[] = JSON.parse(text);
  return entries.flatMap((entry): Happening[] => {
    if (entry[0] === 'q') {
      const id = run_key ?? '';
      const data = { reason: 'submitted', task: introduce({ id, priority: entry[1] }, body()) } as const;
      return [{ event: 'task:queued', task_id: id, data }];
    }
    if (entry[0] === 'e') {
      const [, event, data, task_id = run_key] = entry;
      // What was written by eventsText is what is read here: the event and its data belong together.
      return [(task_id === null ? { event, data } : { event, task_id, data }) as Happening];
    }
    const [, provider, attempt, started_at, task_id = run_key] = entry;
    const task = task_id === null ? {} : { task_id };
    return [
      { event: 'task:validated', ...task, data: {} },
      { event: 'task:routed', ...task, data: { provider } },
      { event: 'task:started', ...task, data: { attempt, started_at } },
    ];
  });
}
