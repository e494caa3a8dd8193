/** The ids that were answered. */
export type Accepted = { readonly tasks: readonly string[]; readonly runs: readonly string[] };

/** What the store says about the run, found by SQL over its tables. */
export type Verdict = {
  /** Acknowledged, but not in the store, not completed, or a task without a result. */
  readonly lost: number;
  /** Completions in the log beyond the tasks that completed. */
  readonly recorded_twice: number;
  /** Places where the numbers of a run, or of the whole log, do not go on by one. */
  readonly event_gaps: number;
  readonly completed: number;
};
