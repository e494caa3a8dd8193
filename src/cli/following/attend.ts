import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../sdk/index.ts';
import type { Progress } from '../progress/model.ts';
import type { Shower } from '../progress/shower.ts';
import { follow, learn } from './follow.ts';
import type { Interrupts } from './interrupts.ts';
import type { Subject } from './subject.ts';

/** `waiting`: it needs somebody's input before it can go on. */
export type Ending = 'settled' | 'waiting' | 'detached' | 'cancelled' | 'timeout';

export type AttendParts = {
  readonly client: Client;
  readonly subject: Subject;
  readonly progress: Progress;
  readonly shower: Shower;
  readonly interrupts: Interrupts;
  readonly timeout_ms: number | undefined;
  readonly now: () => number;
  readonly fresh?: boolean | undefined;
};

/** How long after Ctrl-C another one cancels. */
const SECOND_MS = 1000;
/** How long a cancelled run may take to say so. */
const CANCELLED_MS = 5000;
const LOOK_MS = 1000;
/** What is queued for longer may lack something. */
const LONG_QUEUED_MS = 1500;
const LOOKS_AT_ONCE = 5;

/** Follows it to its end, unless somebody has had enough before. */
export async function attend(parts: AttendParts): Promise<Ending> {
  const stop = new AbortController();
  const following = follow({ ...parts, signal: stop.signal });
  const ended = following.then((): Ending => 'settled');
  const needs = needsInput(parts, stop.signal);
  const late =
    parts.timeout_ms === undefined ? null : after(parts.timeout_ms, 'timeout' as const, stop.signal);
  try {
    const first = await Promise.race([
      ended,
      needs,
      parts.interrupts.next(stop.signal),
      ...(late === null ? [] : [late]),
    ]);
    if (first === 'SIGTERM') return 'detached';
    return first === 'SIGINT' ? await secondThoughts(parts, ended, stop.signal) : first;
  } finally {
    stop.abort();
    // It ends with the signal, and nobody is left to hear how.
    following.catch(() => {});
    parts.shower.end();
  }
}

/** Ctrl-C leaves it alone; a second one right after it cancels. */
async function secondThoughts(
  { client, subject, shower, interrupts }: AttendParts,
  ended: Promise<Ending>,
  signal: AbortSignal,
): Promise<Ending> {
  shower.say(`Leaving. Ctrl-C once more within a second cancels the ${subject.kind}.`);
  const second = await Promise.race([
    ended,
    interrupts.next(signal),
    after(SECOND_MS, 'detached' as const, signal),
  ]);
  if (second !== 'SIGINT') return second === 'SIGTERM' ? 'detached' : second;
  const reason = 'cancelled with Ctrl-C';
  if (subject.kind === 'run')
    await client.call('workflow.cancel', { workflow_id: subject.workflow_id, reason });
  else await client.call('task.cancel', { task_id: subject.task_id, reason });
  await Promise.race([ended, interrupts.next(signal), after(CANCELLED_MS, null, signal)]);
  return 'cancelled';
}

/** Looks now and then for what the events do not tell: that nobody serves a task, or that one waits for a person. */
async function needsInput(parts: AttendParts, signal: AbortSignal): Promise<Ending> {
  const { progress, shower, now } = parts;
  while (!signal.aborted) {
    await after(LOOK_MS, null, signal);
    if (onlyAsks(progress)) return 'waiting';
    const stuck = progress.tasks.filter(
      ({ status, queued_at, waits }) =>
        status === 'queued' && waits === null && now() - (queued_at ?? now()) > LONG_QUEUED_MS,
    );
    for (const task of stuck.slice(0, LOOKS_AT_ONCE)) {
      const { needs_input } = await learn({ ...parts, signal }, task).catch(() => ({ needs_input: false }));
      if (needs_input) return 'waiting';
      const known = progress.task(task.task_id);
      if (known?.status === 'queued' && known.waits !== null) shower.noted(known);
    }
  }
  return new Promise(() => {});
}

/** Nothing goes on any more but what somebody has to answer first. */
function onlyAsks({ tasks, settled }: Progress): boolean {
  const open = tasks.filter(({ ended_at, status }) => ended_at === null && status !== 'waiting');
  return !settled && open.length > 0 && open.every(({ status }) => status === 'input_required');
}

/** Also ends, with the same value, when nobody waits any more. */
function after<Value>(ms: number, value: Value, signal: AbortSignal): Promise<Value> {
  return sleep(ms, value, { signal }).catch(() => value);
}
