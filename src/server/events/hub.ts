import { GleitzeitError } from '../../core/errors.ts';
import type { Event } from '../../core/events.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { EventPage, EventQuery, StoreReads } from '../../core/ports/store.ts';
import { type EventFilter, Listeners } from './filter.ts';
import { Follower, type FollowerParts, type Sink } from './follower.ts';
import { Tail } from './tail.ts';
import { Turns } from './turns.ts';

export type HubLimits = {
  /** All that follow at the same time, over whatever they are connected. */
  readonly followers: number;
  /** Pages that are read from the store at the same time, for those that are far behind. */
  readonly reads: number;
  /** What is kept at hand of the newest events. */
  readonly recent: { readonly events: number; readonly characters: number };
};

export const defaultHubLimits: HubLimits = {
  followers: 10_000,
  reads: 4,
  recent: { events: 8192, characters: 4 * 1024 * 1024 },
};

export type HubParts = {
  readonly events: (query: { cursor: number; signal: AbortSignal }) => AsyncIterable<Event>;
  readonly reads: Pick<StoreReads, 'events' | 'cursor'>;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly limits: HubLimits;
};

export type Following = {
  readonly filter: EventFilter;
  readonly cursor?: number | undefined;
  readonly sink: Sink;
};
/** `start` begins to give events; until then none is missed. */
export type Followed = { readonly cursor: number; start(): void; end(): void; readonly position: number };

/** How long until one that could not be read for is tried again. */
const AGAIN_MS = 1000;

/** Everybody who follows events, over one reader of the feed. */
export class EventHub {
  readonly #parts: HubParts;
  readonly #tail: Tail;
  readonly #listeners = new Listeners<Follower>();
  readonly #followers = new Set<Follower>();
  readonly #turns: Turns;
  readonly #followerParts: FollowerParts;
  /** Places taken by those that are on their way in. */
  #arriving = 0;
  #sent = 0;

  constructor(parts: HubParts) {
    const { events, reads, timers, logger, limits } = parts;
    this.#parts = parts;
    this.#turns = new Turns(limits.reads);
    this.#tail = new Tail({
      events,
      cursor: () => reads.cursor(),
      timers,
      logger,
      recent: limits.recent,
      heard: (told) => {
        const listeners = this.#listeners.of(told);
        for (const follower of listeners) follower.hear(told);
        return listeners.length;
      },
    });
    this.#followerParts = {
      recent: () => this.#tail.recent,
      page: (query) => this.#page(query),
      live: (follower, listens) =>
        listens ? this.#listeners.add(follower) : this.#listeners.remove(follower),
      failed: (follower, thrown) => this.#failed(follower, thrown),
    };
  }

  get size(): number {
    return this.#followers.size;
  }

  /** Events given to whoever followed, since the start. */
  get sent(): number {
    return this.#sent;
  }

  async follow({ filter, cursor, sink }: Following): Promise<Followed> {
    this.#requireRoom();
    this.#arriving++;
    try {
      await this.#tail.start();
      const newest = await this.#parts.reads.cursor();
      if (cursor !== undefined && cursor > newest) throw tooNew(cursor, newest);
      const followed = { filter, sink: this.#counting(sink), cursor: cursor ?? newest };
      return this.#enter(new Follower(followed, this.#followerParts), { cursor: followed.cursor });
    } finally {
      this.#arriving--;
      this.#stopIfAlone();
    }
  }

  /** Ends everything, for good. */
  stop(): void {
    for (const follower of this.#followers) follower.end();
    this.#followers.clear();
    this.#tail.stop();
  }

  #enter(follower: Follower, { cursor }: { cursor: number }): Followed {
    this.#followers.add(follower);
    return {
      cursor,
      get position() {
        return follower.position;
      },
      start: () => follower.start(),
      end: () => {
        follower.end();
        this.#followers.delete(follower);
        this.#stopIfAlone();
      },
    };
  }

  #counting(sink: Sink): Sink {
    return {
      take: (told) => {
        this.#sent++;
        return sink.take(told);
      },
      drained: () => sink.drained(),
      get closed() {
        return sink.closed;
      },
    };
  }

  #stopIfAlone(): void {
    if (this.#followers.size === 0 && this.#arriving === 0) this.#tail.stop();
  }

  #requireRoom(): void {
    const { followers } = this.#parts.limits;
    if (this.#followers.size + this.#arriving < followers) return;
    const reason = `${followers} follow events already, and no more can`;
    throw new GleitzeitError('GLZ4003', reason, { reason, retry_after_ms: 5000 });
  }

  #page(query: EventQuery): Promise<EventPage> {
    return this.#turns.take(() => this.#parts.reads.events(query));
  }

  #failed(follower: Follower, thrown: unknown): void {
    const { message } = GleitzeitError.from(thrown);
    this.#parts.logger.warn('events could not be read for one who follows them', { error: message });
    this.#parts.timers.after(AGAIN_MS, () => {
      if (this.#followers.has(follower)) follower.start();
    });
  }
}

function tooNew(cursor: number, newest: number): GleitzeitError {
  const reason = `${cursor} is after the newest event, ${newest}`;
  return new GleitzeitError('GLZ1012', `cursor: ${reason}`, {
    field: 'cursor',
    reason,
    hint: 'it may come from another store; leave it out to begin now, or send 0 to begin at the beginning',
  });
}
