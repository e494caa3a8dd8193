export type EngineOptions = {
  /** Calls that run at the same time. */
  readonly concurrency: number;
  /** How long others wait before they take over from an engine that says nothing. */
  readonly lease_ttl_ms: number;
  /** How long finished runs are kept. */
  readonly keep_ms: number;
  /** So many writes make a commit at once; more where a commit costs more. */
  readonly few_writes: number;
  /** Commits under way: the store works on one while the next is made ready and waits there. */
  readonly commits_at_once: number;
  /** How often to look for what other engines changed, in case their word did not reach us. */
  readonly poll_ms: number;
};

export const defaultOptions: EngineOptions = {
  concurrency: 256,
  lease_ttl_ms: 3000,
  keep_ms: 30 * 24 * 3600 * 1000,
  few_writes: 32,
  commits_at_once: 2,
  poll_ms: 1000,
};
