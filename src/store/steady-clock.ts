import type { Clock } from '../core/ports/clock.ts';

/**
 * The clock of a store that one process holds: starts at wall time, or at the newest time the store has seen if that
 * is later, and from then on goes by the monotonic clock. A jump of the wall clock neither expires nor freezes
 * anything, and times in the store never go back.
 */
export function steadyClock(clock: Clock, newestSeen: number): () => number {
  const offset = Math.max(clock.wall(), newestSeen) - clock.monotonic();
  return () => Math.floor(clock.monotonic() + offset);
}
