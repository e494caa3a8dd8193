/** The kinds of store a system may keep its state in; each has its starter in `services/`. */
export const STORES = ['sqlite', 'postgres', 'redis', 'restate'] as const;

export type Store = (typeof STORES)[number];

/** Where a session finds its store. */
export interface Place {
  readonly store: Store;
  /** A connection string, or the path of the database file for SQLite. */
  readonly url: string;
  /** Where the store has a second address for its administration. */
  readonly adminUrl?: string;
  /** A name no other session on this store uses: queue, application or namespace. */
  readonly space: string;
  /** The address of the agent that handlers call, in workloads that have one. */
  readonly agent?: string;
  /** A system that has a server is wanted as that, in a process of its own. */
  readonly served?: boolean;
}
