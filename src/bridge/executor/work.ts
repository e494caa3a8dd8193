import { GleitzeitError } from '../../core/errors.ts';
import type { Consumer, Delivery } from '../broker.ts';
import { writeDeadLetter } from '../messages/dead-letter.ts';
import { engineGroup } from '../topics.ts';
import type { ExecutorParts } from './parts.ts';

/** What could not be taken now is tried again after this long. */
const AGAIN_MS = 1000;

export type Work<Value> = {
  readonly topic: string;
  readonly read: (bytes: Uint8Array) => Value;
  /**
   * Resolves when the message is done with: null, or why nobody can do anything with it. Rejects where it cannot be
   * known yet: then it is tried again.
   */
  readonly take: (value: Value, delivery: Delivery, tries: number) => Promise<GleitzeitError | null>;
};

/** Takes work of a topic as one of all engines: a message is acknowledged when it is done with, or stands among the dead letters. */
export class WorkTaker<Value> {
  readonly #parts: ExecutorParts;
  readonly #work: Work<Value>;
  readonly #busy = new Set<Promise<void>>();
  readonly #pauses = new Set<() => void>();
  #consumer: Consumer | null = null;
  #ended = false;

  constructor(parts: ExecutorParts, work: Work<Value>) {
    this.#parts = parts;
    this.#work = work;
  }

  async start(): Promise<void> {
    if (this.#consumer !== null) return;
    const { broker, options } = this.#parts;
    const { topics, groups, most_unacknowledged } = options;
    const { topic } = this.#work;
    const how = { topic, group: engineGroup(topics, groups, topic), most_unacknowledged };
    this.#consumer = await broker.consume(how, (deliveries) => {
      for (const delivery of deliveries) this.#begin(delivery);
    });
  }

  /** Takes no more; resolves when what was taken is done with, or is left to others. */
  async stop(deadline_ms: number): Promise<void> {
    await this.#consumer?.quiet();
    this.#ended = true;
    for (const wake of this.#pauses) wake();
    const done = Promise.all([...this.#busy]);
    await Promise.race([done, new Promise<void>((over) => this.#parts.timers.after(deadline_ms, over))]);
    await this.#consumer?.stop(deadline_ms);
  }

  #begin(delivery: Delivery): void {
    const busy = this.#handle(delivery).finally(() => this.#busy.delete(busy));
    this.#busy.add(busy);
  }

  async #handle(delivery: Delivery): Promise<void> {
    let tries = 0;
    do {
      tries += 1;
      try {
        const error = await this.#take(delivery, tries);
        if (error !== null) await this.#bury(delivery, error);
        return delivery.ack();
      } catch (thrown) {
        const { code, message } = GleitzeitError.from(thrown);
        this.#parts.logger.warn('a message could not be taken; it is tried again', {
          ...{ topic: this.#work.topic, place: delivery.place, error_code: code, error: message },
        });
      }
    } while (await this.#again(delivery));
  }

  /** Where it cannot be read, why. */
  async #take(delivery: Delivery, tries: number): Promise<GleitzeitError | null> {
    let value: Value;
    try {
      value = this.#work.read(delivery.value);
    } catch (thrown) {
      return GleitzeitError.from(thrown);
    }
    return this.#work.take(value, delivery, tries);
  }

  async #bury({ key, value, place }: Delivery, error: GleitzeitError): Promise<void> {
    const { broker, clock, logger, observer, options } = this.#parts;
    const { topic } = this.#work;
    const letter = writeDeadLetter({ topic, key, value, place, error, now_ms: clock.wall() });
    await broker.publish(options.topics.dead_letters, [letter]);
    observer.deadLetter(topic, error.code);
    logger.error('a message was put aside: nobody can do anything with it', {
      ...{ topic, place, key, dead_letters: options.topics.dead_letters },
      ...{ error_code: error.code, error: error.message },
    });
  }

  async #again({ lost }: Delivery): Promise<boolean> {
    if (this.#ended || lost.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.timers.after(AGAIN_MS, resolve);
    this.#pauses.add(resolve);
    await promise;
    cancel();
    this.#pauses.delete(resolve);
    return !this.#ended && !lost.aborted;
  }
}
