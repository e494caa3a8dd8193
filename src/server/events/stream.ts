import type { StreamEvent } from '../../rpc/listener/route.ts';
import type { EventFilter } from './filter.ts';
import type { Sink } from './follower.ts';
import type { EventHub } from './hub.ts';
import type { Told } from './told.ts';

/** So many events wait for a stream whose peer is slow; the next are left where they are. */
const WAITING = 64;

export type StreamQuery = EventFilter & {
  readonly cursor?: number | undefined;
  readonly signal: AbortSignal;
};

/** The events of one stream, asked for one by one. Rejects at once where the query cannot be served. */
export async function eventStream(
  hub: EventHub,
  { cursor, signal, ...filter }: StreamQuery,
): Promise<AsyncIterable<StreamEvent>> {
  const mailbox = new Mailbox(signal);
  const followed = await hub.follow({ filter, cursor, sink: mailbox });
  followed.start();
  // Whoever is gone before the first event is asked for never comes to the end of the generator below.
  if (signal.aborted) followed.end();
  else signal.addEventListener('abort', () => followed.end(), { once: true });
  return taken(mailbox, { first: followed.cursor, end: () => followed.end() });
}

async function* taken(
  mailbox: Mailbox,
  { first, end }: { first: number; end: () => void },
): AsyncGenerator<StreamEvent, void, undefined> {
  try {
    // Without an event of its own: a stream that is cut before the first one still knows where it began.
    yield { id: String(first) };
    for (let told = await mailbox.next(); told !== null; told = await mailbox.next()) {
      yield { id: String(told.cursor), event: told.event, data: told.text };
    }
  } finally {
    end();
  }
}

class Mailbox implements Sink {
  readonly #waiting: Told[] = [];
  readonly #signal: AbortSignal;
  #arrived: () => void = () => {};
  #emptied: (() => void)[] = [];

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#arrived(), { once: true });
  }

  get closed(): boolean {
    return this.#signal.aborted;
  }

  take(told: Told): 'more' | 'full' {
    this.#waiting.push(told);
    this.#arrived();
    return this.#waiting.length < WAITING ? 'more' : 'full';
  }

  drained(): Promise<void> {
    if (this.#waiting.length < WAITING) return Promise.resolve();
    return new Promise((resolve) => this.#emptied.push(resolve));
  }

  /** Null at the end. */
  async next(): Promise<Told | null> {
    while (!this.#signal.aborted) {
      const told = this.#waiting.shift();
      if (told === undefined) await this.#arrival();
      else {
        if (this.#waiting.length === 0) for (const resolve of this.#emptied.splice(0)) resolve();
        return told;
      }
    }
    return null;
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }
}
