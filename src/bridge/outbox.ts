import { GleitzeitError } from '../core/errors.ts';
import type { Message } from './broker.ts';
import { brokerAway, closed, sizeOf } from './errors.ts';

/** One message on its way. */
export type Outgoing = { readonly topic: string; readonly message: Message };

export type OutboxOptions = {
  /** For people: which broker. */
  readonly where: string;
  readonly publish_timeout_ms: number;
  /** Bytes that travel together at most. */
  readonly most_bytes: number;
  readonly most_messages: number;
  /**
   * Resolves when all of them are durable. Gives up when the signal is aborted; may reject at any time. Where the broker
   * refuses one of them, they are sent again in smaller batches.
   */
  readonly send: (batch: readonly Outgoing[], signal: AbortSignal) => Promise<void>;
};

/** One call of publish: done when all of its messages are. */
type Publication = { readonly topic: string; left: number; settle(error?: unknown): void };
type Waiting = Outgoing & { readonly of: Publication; readonly size: number };

/** What waits here at most; whoever publishes more is told so at once. */
const MOST_WAITING = 64 * 1024 * 1024;

/**
 * Gathers what is published: everything of one tick travels together, and while it does the next batch gathers. One
 * batch is under way at a time, so that messages stay in order.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #flight: Promise<void> | undefined;
  #scheduled = false;
  #closed = false;
  #abort = new AbortController();

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  publish(topic: string, messages: readonly Message[]): Promise<void> {
    if (this.#closed) return Promise.reject(closed(this.#options.where));
    if (messages.length === 0) return Promise.resolve();
    const sizes = messages.map(sizeOf);
    const size = sizes.reduce((sum, one) => sum + one, 0);
    // One call that is larger than the bound is taken where nothing else waits: it would never be otherwise.
    if (this.#bytes > 0 && this.#bytes + size > MOST_WAITING) return Promise.reject(this.#full(topic));
    return new Promise((resolve, reject) => {
      const of = this.#publication({ topic, left: messages.length, resolve, reject });
      for (const [index, message] of messages.entries())
        this.#waiting.push({ topic, message, of, size: sizes[index] ?? 0 });
      this.#bytes += size;
      this.#schedule();
    });
  }

  /** Takes no more, and resolves when what is here was sent or the deadline is over. */
  async close(deadline_ms: number): Promise<void> {
    this.#closed = true;
    const timer = setTimeout(() => this.#giveUp(), deadline_ms);
    while (this.#flight !== undefined || this.#waiting.length > 0) {
      this.#schedule();
      await (this.#flight ?? new Promise((resolve) => setImmediate(resolve)));
    }
    clearTimeout(timer);
  }

  #publication(options: {
    topic: string;
    left: number;
    resolve: () => void;
    reject: (error: unknown) => void;
  }): Publication {
    const { topic, left, resolve, reject } = options;
    const patience = this.#options.publish_timeout_ms;
    const timer = setTimeout(() => {
      this.#forget(publication);
      const what = `messages for ${topic} were not acknowledged within ${patience} ms`;
      reject(brokerAway(what, this.#options.where));
    }, patience);
    const publication = {
      topic,
      left,
      settle(error?: unknown) {
        clearTimeout(timer);
        if (error === undefined) resolve();
        else reject(error);
      },
    };
    return publication;
  }

  #forget(publication: Publication): void {
    this.#waiting = this.#waiting.filter(({ of }) => of !== publication);
    this.#bytes = this.#waiting.reduce((sum, { size }) => sum + size, 0);
  }

  #schedule(): void {
    if (this.#scheduled || this.#flight !== undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#start();
    });
  }

  #start(): void {
    if (this.#flight !== undefined || this.#waiting.length === 0) return;
    this.#flight = this.#fly(this.#next()).finally(() => {
      this.#flight = undefined;
      this.#start();
    });
  }

  #next(): Waiting[] {
    const { most_bytes, most_messages } = this.#options;
    let [count, bytes] = [0, 0];
    for (const { size } of this.#waiting) {
      if (count === most_messages || (count > 0 && bytes + size > most_bytes)) break;
      count += 1;
      bytes += size;
    }
    const batch = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#bytes -= bytes;
    return batch;
  }

  async #fly(batch: readonly Waiting[]): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    // Everyone in it has been told by then; it must not hold up what comes after.
    const timer = setTimeout(() => abort.abort(), this.#options.publish_timeout_ms);
    await this.#send(batch, abort.signal);
    clearTimeout(timer);
  }

  async #send(batch: readonly Waiting[], signal: AbortSignal): Promise<void> {
    try {
      await unlessAborted(this.#options.send(batch, signal), signal);
      for (const { of } of batch) {
        of.left -= 1;
        if (of.left === 0) of.settle();
      }
    } catch (error) {
      const refused = error instanceof GleitzeitError && error.class === 'rejected';
      if (!refused || batch.length === 1 || signal.aborted) return this.#failed(batch, error);
      // One of them is refused for good. The others must not be taken for refused, too.
      const half = Math.ceil(batch.length / 2);
      await this.#send(batch.slice(0, half), signal);
      await this.#send(batch.slice(half), signal);
    }
  }

  #failed(batch: readonly Waiting[], error: unknown): void {
    for (const of of new Set(batch.map((waiting) => waiting.of))) {
      this.#forget(of);
      of.settle(this.#failure(of.topic, error));
    }
  }

  #giveUp(): void {
    this.#abort.abort();
    for (const of of new Set(this.#waiting.map((waiting) => waiting.of)))
      of.settle(closed(this.#options.where));
    this.#waiting = [];
    this.#bytes = 0;
  }

  #failure(topic: string, error: unknown): GleitzeitError {
    if (error instanceof GleitzeitError) return error;
    return brokerAway(`messages for ${topic} were not acknowledged`, this.#options.where, error);
  }

  #full(topic: string): GleitzeitError {
    const message = `messages for ${topic} are not taken: ${this.#bytes} bytes wait for the broker at ${this.#options.where}`;
    const hint = 'publish less at once, and wait for what was published before';
    return new GleitzeitError('GLZ3201', message, { hint });
  }
}

/** A broker that hangs answers nothing at all: what is under way is then left to itself. */
async function unlessAborted(sent: Promise<void>, signal: AbortSignal): Promise<void> {
  let giveUp = () => {};
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(new Error('no answer came in time'));
    signal.addEventListener('abort', giveUp);
  });
  try {
    await Promise.race([sent, aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
    sent.catch(() => {});
  }
}
