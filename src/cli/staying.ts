import { setTimeout as sleep } from 'node:timers/promises';
import type { Interrupts } from './following/interrupts.ts';
import type { Io } from './io.ts';

/** The local store, as far as somebody who leaves it must know it. */
type Held = {
  others(): Promise<{ readonly count: number; gone(): Promise<void> } | undefined>;
  readonly stop_timeout_ms: number;
};

export type Staying = {
  /** Null where a server is asked. */
  readonly local: Held | null;
  readonly interrupts: Interrupts;
  /** What is left of `--timeout`; undefined where there is no limit. */
  readonly left_ms: number | undefined;
};

/**
 * A command whose own work is done stays while others wait for what this process works on for them: a call that it cut
 * off would have to be made again. Not longer than a server would take to stop, nor after Ctrl-C.
 */
export async function stayForOthers(io: Io, { local, interrupts, left_ms }: Staying): Promise<void> {
  const others = await local?.others();
  if (local === null || others === undefined || others.count === 0) return;
  const most_ms = Math.min(local.stop_timeout_ms, left_ms ?? Number.POSITIVE_INFINITY);
  if (most_ms === 0) return;
  const who =
    others.count === 1
      ? 'another command that waits for what this one works'
      : `${others.count} other commands that wait for what this one works`;
  io.say(`Staying for ${who} on, at most ${Math.ceil(most_ms / 1000)} s; Ctrl-C leaves.`);
  const enough = new AbortController();
  const late = sleep(most_ms, null, { signal: enough.signal }).catch(() => {});
  await Promise.race([others.gone(), late, interrupts.next(enough.signal)]);
  enough.abort();
}
