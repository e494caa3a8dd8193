import type { Event, EventName } from '../core/events.ts';
import type { Store } from '../core/ports/store.ts';

export type FeedQuery = {
  /** Global number of the last event already seen; from now on without it. */
  readonly cursor?: number | undefined;
  readonly workflow_id?: string | undefined;
  readonly task_id?: string | undefined;
  readonly events?: readonly EventName[] | undefined;
  readonly signal?: AbortSignal | undefined;
};

const PAGE = 500;

/** Events as they are committed, from any point on: read from the store page by page, woken by commits. */
export class Feed {
  readonly #store: Store;
  readonly #sleepers = new Set<() => void>();
  #closed = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** There may be new events. */
  nudge(): void {
    const sleepers = [...this.#sleepers];
    this.#sleepers.clear();
    for (const wake of sleepers) wake();
  }

  close(): void {
    this.#closed = true;
    this.nudge();
  }

  async *events({ cursor, signal, ...filter }: FeedQuery): AsyncGenerator<Event, void, undefined> {
    const query = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
    const onAbort = () => this.nudge();
    const over = () => this.#closed || signal?.aborted === true;
    signal?.addEventListener('abort', onAbort);
    try {
      let after = cursor ?? (await this.#store.reads.cursor());
      while (!over()) {
        // Asked for before reading: a commit in between wakes the promise, so no event is slept through.
        const next = this.#nextNudge();
        const page = await this.#store.reads.events({ ...query, after, limit: PAGE });
        yield* page.events;
        after = page.cursor;
        if (!page.more && !over()) await next;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #nextNudge(): Promise<void> {
    return new Promise((resolve) => this.#sleepers.add(resolve));
  }
}
