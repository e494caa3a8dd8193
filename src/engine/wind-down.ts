import type { Timers } from '../core/ports/clock.ts';
import type { Works } from './assemble.ts';
import { stopping } from './ends.ts';

/** How long the store is given to take back what was under way. */
const GIVING_BACK_MS = 1000;

export type WindingDown = {
  /** Ends when nothing runs any more and the engine has left. */
  readonly over: Promise<void>;
  /** Ends what runs, and says whether something is to be given back, and can be. */
  readonly giveBack: () => boolean;
};

/** Nothing is done from here on. Whoever still waits gets to hear how things are. */
export function closeDown(works: Works, unlisten: () => void): void {
  const { maintenance, reconciler, pause, writer, dispatcher, arrivals, away, outcomes, runs, feed } = works;
  maintenance.stop();
  pause.stop();
  reconciler.stop();
  unlisten();
  arrivals.close();
  writer.close();
  dispatcher.revokeAll(stopping);
  away.close();
  outcomes.release();
  runs.release();
  feed.close();
}

/** Waits for what runs until the deadline, then has it given back. */
export async function windDown(
  timers: Timers,
  deadline_ms: number,
  { over, giveBack }: WindingDown,
): Promise<void> {
  if (await within(timers, deadline_ms, over)) return;
  if (giveBack()) await within(timers, GIVING_BACK_MS, over);
}

/** Whether the work was done in that time. It goes on either way. */
async function within(timers: Timers, ms: number, work: Promise<void>): Promise<boolean> {
  const { promise: timeUp, resolve } = Promise.withResolvers<boolean>();
  const cancel = timers.after(ms, () => resolve(false));
  return Promise.race([work.then(() => true), timeUp]).finally(cancel);
}
