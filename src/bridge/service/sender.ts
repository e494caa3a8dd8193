import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Broker, Message } from '../broker.ts';

export type SenderParts = {
  readonly broker: Pick<Broker, 'publish'>;
  readonly topic: string;
  readonly timers: Timers;
  readonly logger: Logger;
};

/** The broker has waited by itself before it says no. */
const AGAIN_MS = 500;

type Waiting = { readonly message: Message; settle(sent: boolean): void };

/** Puts messages on a topic, those of one tick together, and again until they are durable there. */
export class Sender {
  readonly #parts: SenderParts;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #closed = false;
  #cancel: () => void = () => {};

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** True when it is durable; false where the bridge stopped before that was known. */
  send(message: Message): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    return new Promise((settle) => {
      this.#waiting.push({ message, settle });
      this.#schedule();
    });
  }

  /** What is not durable yet is given up. */
  close(): void {
    this.#closed = true;
    this.#cancel();
    for (const { settle } of this.#waiting.splice(0)) settle(false);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#parts.timers.soon(() => {
      this.#scheduled = false;
      const batch = this.#waiting;
      this.#waiting = [];
      if (batch.length > 0) void this.#send(batch);
    });
  }

  /**
   * Published each by itself, which the broker takes together all the same: where it refuses one, the others are not to be
   * sent again.
   */
  async #send(batch: readonly Waiting[]): Promise<void> {
    const { broker, topic, logger } = this.#parts;
    const failed: { readonly one: Waiting; readonly thrown: unknown }[] = [];
    const publish = async (one: Waiting) => {
      try {
        await broker.publish(topic, [one.message]);
        one.settle(true);
      } catch (thrown) {
        failed.push({ one, thrown });
      }
    };
    await Promise.all(batch.map(publish));
    const [first] = failed;
    if (first === undefined) return;
    const left = failed.map(({ one }) => one);
    if (this.#closed) return this.#giveUp(left);
    const { code: error_code, message: error } = GleitzeitError.from(first.thrown);
    const told = { topic, messages: left.length, error_code, error };
    logger.warn('messages could not be published; it is tried again', told);
    this.#again(left);
  }

  /** In front of what came meanwhile: their order stays. */
  #again(batch: readonly Waiting[]): void {
    this.#waiting = [...batch, ...this.#waiting];
    this.#scheduled = true;
    this.#cancel = this.#parts.timers.after(AGAIN_MS, () => {
      this.#scheduled = false;
      this.#schedule();
    });
  }

  #giveUp(batch: readonly Waiting[]): void {
    for (const { settle } of batch) settle(false);
  }
}
