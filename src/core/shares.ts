/** Whoever holds less than so many times what is free may take more: one alone comes to seven of eight, the next to as much of the rest. */
const TIMES_FREE = 7;
/** Of so many places one is kept for whoever holds none. */
const PLACES_PER_KEPT = 8;

export type Places = {
  readonly size: number;
  readonly free: number;
  /** How many others could take some, and hold none. */
  readonly idle: number;
  /** How many others there are at all. */
  readonly others: number;
};

/**
 * How many more places one of several who share them may take. However long some keep what they have, whoever holds none finds one, as
 * long as no more than an eighth as many share them as there are places.
 */
export function shareOf(held: number, { size, free, idle, others }: Places): number {
  if (others === 0) return free;
  const kept = Math.min(idle, Math.floor(size / PLACES_PER_KEPT));
  const more = Math.ceil((TIMES_FREE * (free - kept) - held) / (TIMES_FREE + 1));
  return Math.max(more, held === 0 ? Math.min(1, free) : 0);
}
