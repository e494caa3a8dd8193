import { type Event, type EventName, eventNames } from '../core/events.ts';
import type { Store } from '../core/ports/store.ts';
import { describe, invalidOption, readOptions, requireNumber, requireText, requireWords } from './options.ts';

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

  async *events(given: FeedQuery): AsyncGenerator<Event, void, undefined> {
    checkQuery(given);
    const { cursor, signal, ...filter } = given;
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

function checkQuery(given: FeedQuery): void {
  const query = readOptions(given, ['cursor', 'workflow_id', 'task_id', 'events', 'signal'], {
    field: 'query',
  });
  const { cursor, events, signal } = query;
  if (cursor !== undefined) requireNumber('cursor', cursor, { least: 0, integer: true });
  for (const field of ['workflow_id', 'task_id']) {
    if (query[field] !== undefined) requireText(field, query[field]);
  }
  if (events !== undefined) requireWords('events', events, eventNames);
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw invalidOption('signal', `must be an AbortSignal, found ${describe(signal)}`);
  }
}
