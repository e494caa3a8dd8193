/** When a call that has no answer yet is also made to somebody else. Only for methods that may be called twice. */
export type HedgePolicy = {
  /** Milliseconds without an answer, or the time within which nineteen of twenty calls are answered. */
  readonly after: number | 'p95';
  /** Further calls at most, each after the same time. */
  readonly max: number;
};

/**
 * Further calls that may still be made, in tenths. Calls earn them, so that a pool that is slow as a whole is not asked
 * twice for everything: over any number of calls, at most a tenth of them and `MOST` more.
 */
export type HedgeBudget = number;

const COST = 10;
/** As many at once after quiet times. */
export const MOST = 10;

export const fullBudget: HedgeBudget = MOST * COST;

/** A call was made. */
export function earned(budget: HedgeBudget): HedgeBudget {
  return Math.min(fullBudget, budget + 1);
}

/** What is left once a further call is made; null where none may be. */
export function spent(budget: HedgeBudget): HedgeBudget | null {
  return budget < COST ? null : budget - COST;
}

/** Of fewer calls nobody knows how long most of them take. */
export const LEAST_KNOWN = 20;
const LEAST_MS = 1;

/** How long to wait for an answer before somebody else is asked too; null where that is not known. */
export function hedgeDelay(
  { after }: HedgePolicy,
  known: { readonly calls: number; readonly p95_ms: number | null },
): number | null {
  if (after !== 'p95') return after;
  if (known.p95_ms === null || known.calls < LEAST_KNOWN) return null;
  return Math.max(LEAST_MS, known.p95_ms);
}
