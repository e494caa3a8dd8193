export type Backoff = { readonly first_ms: number; readonly longest_ms: number };

export const defaultBackoff: Backoff = { first_ms: 100, longest_ms: 10_000 };

/**
 * How long to wait after so many attempts in vain: twice as long each time, and anything from half of that on, so that
 * those who lost the same peer at the same moment do not come back at the same moment.
 */
export function backoffMs({ first_ms, longest_ms }: Backoff, failures: number, chance: number): number {
  const full = Math.min(longest_ms, first_ms * 2 ** Math.min(failures, 30));
  return Math.round(full / 2 + (full / 2) * chance);
}
