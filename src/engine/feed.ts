import { GleitzeitError } from '../core/errors.ts';
import { type Event, type EventName, eventNames } from '../core/events.ts';
import type { Timers } from '../core/ports/clock.ts';
import type { EventPage, EventQuery, Store } from '../core/ports/store.ts';
import {
  describe,
  invalidOption,
  readOptions,
  requireNumber,
  requireText,
  requireWords,
} from './check-options.ts';

export type FeedQuery = {
  /** Global number of the last event already seen; from now on without it. */
  readonly cursor?: number | undefined;
  readonly workflow_id?: string | undefined;
  readonly task_id?: string | undefined;
  readonly events?: readonly EventName[] | undefined;
  readonly signal?: AbortSignal | undefined;
};

const PAGE = 500;
/** How long a store that could not be read is left alone, unless a commit says earlier that it is back. */
const AWAY_MS = 1000;

type Filter = Omit<EventQuery, 'after' | 'limit'>;

/** Events as they are committed, from any point on: read from the store page by page, woken by commits. */
export class Feed {
  readonly #store: Store;
  readonly #timers: Timers;
  readonly #sleepers = new Set<() => void>();
  #closed = false;

  constructor(store: Store, timers: Timers) {
    this.#store = store;
    this.#timers = timers;
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

  /** Without a cursor it begins now, at this call, not when the first event is asked for. */
  events(given: FeedQuery): AsyncGenerator<Event, void, undefined> {
    checkQuery(given);
    const { cursor, signal, ...filter } = given;
    const query = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
    const over = () => this.#closed || signal?.aborted === true;
    const from = cursor === undefined ? this.#patiently(() => this.#store.reads.cursor(), over) : cursor;
    // Heard of by whoever asks for the first event; until then nobody is there to hear it.
    if (typeof from !== 'number') from.catch(() => {});
    return this.#follow(query, { from, over, signal });
  }

  async *#follow(
    filter: Filter,
    {
      from,
      over,
      signal,
    }: { from: number | Promise<number | null>; over: () => boolean; signal?: AbortSignal | undefined },
  ): AsyncGenerator<Event, void, undefined> {
    const onAbort = () => this.nudge();
    signal?.addEventListener('abort', onAbort);
    try {
      let after = await from;
      while (after !== null && !over()) {
        const query = { ...filter, after, limit: PAGE };
        // Asked for before reading: a commit in between wakes the promise, so no event is slept through.
        const next = this.#nextNudge();
        const page: EventPage | null = await this.#patiently(() => this.#store.reads.events(query), over);
        if (page === null) return;
        yield* page.events;
        after = page.cursor;
        if (!page.more && !over()) await next;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** A store that is away for a while is waited for, like everywhere else. Null when the feed ended meanwhile. */
  async #patiently<Read>(read: () => Promise<Read>, over: () => boolean): Promise<Read | null> {
    while (!over()) {
      try {
        return await read();
      } catch (thrown) {
        if (GleitzeitError.from(thrown).class !== 'store') throw thrown;
        if (!over()) await this.#away();
      }
    }
    return null;
  }

  async #away(): Promise<void> {
    const cancel = this.#timers.after(AWAY_MS, () => this.nudge());
    await this.#nextNudge();
    cancel();
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
