import { GleitzeitError } from '../../core/errors.ts';
import type { Event } from '../../core/events.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { RecentEvents } from './recent-events.ts';
import { type Told, tell } from './told.ts';

export type TailParts = {
  readonly events: (query: { cursor: number; signal: AbortSignal }) => AsyncIterable<Event>;
  readonly cursor: () => Promise<number>;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly recent: { readonly events: number; readonly characters: number };
  /** Answers how many were told. */
  readonly heard: (told: Told) => number;
};

/** How long until the feed is read again when it could not be. */
const AGAIN_MS = 1000;
/** After telling so many, others get a turn: a busy feed with many who hear of it is nobody else's delay. */
const AT_A_TIME = 500;

/**
 * The one reader of the feed, for everybody who follows it live. It reads while somebody does and not otherwise: a
 * server nobody watches asks its store nothing.
 */
export class Tail {
  readonly #parts: TailParts;
  #recent: RecentEvents;
  #started: Promise<void> | null = null;
  #stop = new AbortController();

  constructor(parts: TailParts) {
    this.#parts = parts;
    this.#recent = new RecentEvents(Number.POSITIVE_INFINITY, parts.recent);
  }

  get recent(): RecentEvents {
    return this.#recent;
  }

  /** Resolves when it is known from where on it reads. */
  start(): Promise<void> {
    this.#started ??= this.#begin().catch((thrown: unknown) => {
      this.#started = null;
      throw thrown;
    });
    return this.#started;
  }

  stop(): void {
    this.#started = null;
    this.#stop.abort();
  }

  async #begin(): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    const recent = new RecentEvents(await this.#parts.cursor(), this.#parts.recent);
    if (stop.signal.aborted) return;
    this.#recent = recent;
    void this.#follow(recent, stop.signal);
  }

  async #follow(recent: RecentEvents, signal: AbortSignal): Promise<void> {
    let sinceTurn = 0;
    while (!signal.aborted) {
      try {
        for await (const event of this.#parts.events({ cursor: recent.head, signal })) {
          if (signal.aborted) return;
          const told = tell(event);
          recent.add(told);
          sinceTurn += this.#parts.heard(told);
          if (sinceTurn < AT_A_TIME) continue;
          sinceTurn = 0;
          await this.#turn();
        }
        // The feed ends with its engine, and nothing more will happen.
        return;
      } catch (thrown) {
        const { message } = GleitzeitError.from(thrown);
        this.#parts.logger.warn('the feed of events could not be read', { error: message });
        await this.#pause(signal);
      }
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#parts.timers.soon(resolve));
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.timers.after(AGAIN_MS, resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    cancel();
  }
}
