/** How many tasks of a protocol are of use to an engine now; those it takes beyond that would only be sent to wait. */
export type Appetite = {
  /** So many could begin. */
  readonly room: number;
  /** So many more are to be known to wait, so that a place never waits for them. */
  readonly line: number;
};

export const insatiable: Appetite = { room: Number.POSITIVE_INFINITY, line: 0 };

/** A line is kept at least so long, and never needs to be longer than this. */
const SHORTEST = 64;
const LONGEST = 2000;

export type PoolState = {
  /** How many calls its limits allow, kept places included; infinite where it has none. */
  readonly left: number;
  /** Places that are kept for those who were called. */
  readonly kept: number;
  /** Those who are known to wait for any place of it. */
  readonly waiting: number;
  /** A line of this length is called for several at a time. */
  readonly long: number;
};

/** While somebody is known to wait, places are theirs: only those who were called from the line come for one. */
export function appetiteOf({ left, kept, waiting, long }: PoolState): Appetite {
  if (left === Number.POSITIVE_INFINITY) return insatiable;
  const enough = Math.min(LONGEST, Math.max(SHORTEST, Math.ceil(long)));
  return { room: waiting > 0 ? Math.min(kept, left) : left, line: Math.max(0, enough - waiting) };
}

/** What a claim looks for beyond what is of use, at first and at each further one. */
const FIRST_LOOK = 8;
const WIDER = 2;

/**
 * How many tasks to take beyond that, where there is room and those who came could not use it: others may stand behind them who
 * can. Each time nobody was found more are looked at, so that a place is not empty for long.
 */
export function widerLook(
  before: number,
  found: { readonly unused: boolean; readonly room: number },
): number {
  return found.unused && found.room > 0 ? Math.max(FIRST_LOOK, before * WIDER) : 0;
}
