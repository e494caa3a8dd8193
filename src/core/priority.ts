export const priorities = ['urgent', 'high', 'normal', 'low'] as const;
export type Priority = (typeof priorities)[number];

/**
 * How much later than an urgent task of the same moment each class comes, in milliseconds. A rank is therefore a
 * virtual deadline that never changes: a task is overtaken only by what arrives within its offset after it, so
 * nothing waits behind newcomers for longer than `STARVATION_BOUND`.
 */
export const rankOffsets: Readonly<Record<Priority, number>> = {
  urgent: 0,
  high: 30_000,
  normal: 120_000,
  low: 600_000,
};

export const STARVATION_BOUND = rankOffsets.low;

/** Smaller runs first; equal ranks run in the order they were accepted. */
export function rankOf(priority: Priority, enqueuedAt: number): number {
  return enqueuedAt + rankOffsets[priority];
}
