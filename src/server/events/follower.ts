import type { EventPage, EventQuery } from '../../core/ports/store.ts';
import { type EventFilter, matches } from './filter.ts';
import type { RecentEvents } from './recent-events.ts';
import { type Told, tell } from './told.ts';

/** Where events go. It takes every one it is given; after `full` it is given no more before `drained`. */
export interface Sink {
  take(told: Told): 'more' | 'full';
  drained(): Promise<void>;
  /** Nobody is there any more. Whoever gave it events is about to be told. */
  readonly closed: boolean;
}

export type FollowerParts = {
  readonly recent: () => RecentEvents;
  readonly page: (query: EventQuery) => Promise<EventPage>;
  /** From now on it wants to be told of new events as they come; or no longer. */
  readonly live: (follower: Follower, listens: boolean) => void;
  /** It could not go on. */
  readonly failed: (follower: Follower, thrown: unknown) => void;
};

export type Followed = { readonly filter: EventFilter; readonly sink: Sink; readonly cursor: number };

const PAGE = 200;

/**
 * Takes one listener through the events from its cursor on: from the store while it is far behind, from the recent ones
 * when it is near, and live once it has seen them all. It holds no events of its own: a sink that is full is left alone
 * until it has drained, and then begins again from where it stood.
 */
export class Follower {
  readonly filter: EventFilter;
  readonly #parts: FollowerParts;
  readonly #sink: Sink;
  /** Every event up to here was given, or is none of its concern. */
  #position: number;
  #live = false;
  #ended = false;

  constructor({ filter, sink, cursor }: Followed, parts: FollowerParts) {
    this.filter = filter;
    this.#sink = sink;
    this.#position = cursor;
    this.#parts = parts;
  }

  /** Nothing up to here will come again. */
  get position(): number {
    return this.#live ? Math.max(this.#position, this.#parts.recent().head) : this.#position;
  }

  start(): void {
    void this.#catchUp();
  }

  end(): void {
    this.#ended = true;
    this.#listen(false);
  }

  /** A new event, while it is live. */
  hear(told: Told): void {
    if (!this.#live || told.cursor <= this.#position || !matches(this.filter, told)) return;
    this.#position = told.cursor;
    if (this.#sink.take(told) === 'more') return;
    this.#listen(false);
    void this.#catchUp(this.#sink.drained());
  }

  async #catchUp(first?: Promise<void>): Promise<void> {
    try {
      await first;
      while (!this.#ended && !this.#sink.closed) {
        const recent = this.#parts.recent();
        if (!recent.covers(this.#position)) await this.#readPage();
        else if (this.#takeRecent(recent)) return this.#listen(true);
        else await this.#sink.drained();
      }
    } catch (thrown) {
      if (!this.#ended) this.#parts.failed(this, thrown);
    }
  }

  /** Nothing is waited for in here: when it says true there is no event between the recent ones and the next. */
  #takeRecent(recent: RecentEvents): boolean {
    for (let told = recent.after(this.#position); told !== undefined; told = recent.after(this.#position)) {
      this.#position = told.cursor;
      if (matches(this.filter, told) && this.#sink.take(told) === 'full') return false;
    }
    return true;
  }

  async #readPage(): Promise<void> {
    const { events, cursor } = await this.#parts.page({ ...this.filter, after: this.#position, limit: PAGE });
    for (const event of events) {
      if (this.#ended || this.#sink.closed) return;
      this.#position = event.cursor;
      if (this.#sink.take(tell(event)) === 'full') await this.#sink.drained();
    }
    this.#position = Math.max(this.#position, cursor);
  }

  #listen(listens: boolean): void {
    if (this.#live === listens || (listens && this.#ended)) return;
    this.#live = listens;
    this.#parts.live(this, listens);
  }
}
