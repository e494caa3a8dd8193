/** How often a service turned calls away in a row without a word about when to come again. Times in milliseconds. */
export type TurnedAway = {
  readonly times: number;
  /** It is left alone until then, also where it said so itself. */
  readonly until: number;
};

const FIRST_MS = 1000;
const MOST_MS = 30_000;

/** So long after it was left alone that still says something of it. */
export const REMEMBERED_MS = MOST_MS;

/**
 * A call that began then was turned away: how long the service is left alone, twice as long where that comes soon after the last
 * time. Calls that began before it was left alone, or meanwhile, tell nothing new.
 */
export function turnedAway(
  before: TurnedAway | null,
  { began, now }: { readonly began: number; readonly now: number },
): { readonly pause_ms: number; readonly after: TurnedAway } {
  if (before !== null && began < before.until) return { pause_ms: 0, after: before };
  const soon = before !== null && began < before.until + REMEMBERED_MS;
  const times = soon ? before.times + 1 : 1;
  const pause_ms = Math.min(MOST_MS, FIRST_MS * 2 ** (times - 1));
  return { pause_ms, after: { times, until: now + pause_ms } };
}

/** A call that began then was answered: whoever takes calls after it was left alone begins anew. */
export function takenAgain(before: TurnedAway | null, began: number): TurnedAway | null {
  return before !== null && began >= before.until ? { ...before, times: 0 } : before;
}
