import type { Producer } from '@platformatic/kafka';
import type { Outgoing } from '../outbox.ts';
import type { Driver } from './driver.ts';
import { kafkaError } from './errors.ts';
import type { Settings } from './options.ts';
import { recordOf } from './records.ts';

const RETRY_DELAY = 200;

/**
 * Writes batches. The producer is idempotent: what it sends again after a cut is known to the broker by its number, and
 * written once. One that has to be given up is replaced, and what it had under way may be written or not.
 */
export class Publisher {
  readonly #driver: Driver;
  readonly #settings: Settings;
  #producer: Producer | undefined;

  constructor(driver: Driver, settings: Settings) {
    this.#driver = driver;
    this.#settings = settings;
  }

  async send(batch: readonly Outgoing[], signal: AbortSignal): Promise<void> {
    const producer = this.#open();
    const giveUp = () => this.#replace(producer);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const messages = batch.map(({ topic, message }) => recordOf(topic, message));
      await producer.send({ messages, idempotent: true });
    } catch (error) {
      const topics = [...new Set(batch.map(({ topic }) => topic))].join(', ');
      throw kafkaError(`messages for ${topics} were not acknowledged`, this.#settings.where, error);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async close(): Promise<void> {
    await this.#producer?.close(true);
  }

  #open(): Producer {
    const { base, publish_timeout_ms } = this.#settings;
    this.#producer ??= new this.#driver.Producer({
      ...base,
      idempotent: true,
      // As long as anyone waits. The package keeps the error of each try, so it must not be for ever.
      retries: Math.ceil(publish_timeout_ms / RETRY_DELAY) + 1,
      retryDelay: RETRY_DELAY,
      // The partition that other clients, too, choose for a key.
      partitioner: this.#driver.compatibilityPartitioner,
    });
    return this.#producer;
  }

  #replace(producer: Producer): void {
    if (this.#producer === producer) this.#producer = undefined;
    void producer.close(true).catch(() => {});
  }
}
