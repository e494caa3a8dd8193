import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Consumer, Delivery, DeliveryHandler } from '../broker.ts';
import { ASIDE, type AsidePlace, STUB } from './place.ts';

/** The store is asked again after this long. */
const AGAIN_MS = 1000;

export type FetchingParts = {
  readonly place: AsidePlace;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly handler: DeliveryHandler;
};

/**
 * Hands out what came; what lies aside is fetched first, one after the other, so that no more of it is in memory than is
 * wanted. Others are not held up meanwhile.
 */
export class Fetching {
  readonly #parts: FetchingParts;
  readonly #waiting: Delivery[] = [];
  #busy = false;
  #paused = false;
  #quiet = false;

  constructor(parts: FetchingParts) {
    this.#parts = parts;
  }

  readonly take: DeliveryHandler = (deliveries) => {
    const here = deliveries.filter(({ headers }) => headers[ASIDE] === undefined);
    if (here.length > 0) this.#parts.handler(here);
    if (here.length === deliveries.length) return;
    this.#waiting.push(...deliveries.filter(({ headers }) => headers[ASIDE] !== undefined));
    void this.#go();
  };

  /** The same member, for whoever is not to know of it. */
  around(consumer: Consumer): Consumer {
    return {
      pause: () => {
        this.#paused = true;
        consumer.pause();
      },
      resume: () => {
        this.#paused = false;
        consumer.resume();
        void this.#go();
      },
      quiet: () => {
        this.#quiet = true;
        return consumer.quiet();
      },
      stop: (deadline_ms) => {
        this.#quiet = true;
        return consumer.stop(deadline_ms);
      },
    };
  }

  async #go(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    while (this.#waiting.length > 0 && !this.#paused && !this.#quiet) {
      const delivery = this.#waiting.shift();
      const whole = delivery === undefined ? null : await this.#fetch(delivery);
      // What was taken away meanwhile comes to somebody else.
      if (whole !== null && !this.#quiet) this.#parts.handler([whole]);
    }
    this.#busy = false;
  }

  /** Null where it is not ours any more. */
  async #fetch(delivery: Delivery): Promise<Delivery | null> {
    const { place, timers, logger } = this.#parts;
    const key = delivery.headers[ASIDE] ?? '';
    while (!delivery.lost.aborted && !this.#quiet) {
      try {
        const content = await place.get(key);
        return content === null ? this.#done(delivery) : this.#whole(delivery, { key, content });
      } catch (thrown) {
        const { code, message: error } = GleitzeitError.from(thrown);
        const about = { place: delivery.place, error_code: code, error };
        logger.warn('the content of a message cannot be fetched; it is tried again', about);
        await new Promise<void>((resolve) => timers.after(AGAIN_MS, resolve));
      }
    }
    return null;
  }

  /** Its content goes when it is done with: it comes again because that was not known to the broker yet. */
  #done(delivery: Delivery): null {
    this.#parts.logger.debug('a message comes again that was done with', { place: delivery.place });
    delivery.ack();
    return null;
  }

  #whole(delivery: Delivery, { key, content }: { key: string; content: string }): Delivery {
    const { place, logger } = this.#parts;
    const { [ASIDE]: _, [STUB]: __, ...headers } = delivery.headers;
    return {
      ...{ key: delivery.key, headers, place: delivery.place, lost: delivery.lost },
      ...{ redelivered: delivery.redelivered, value: Buffer.from(content) },
      ack: () => {
        delivery.ack();
        if (delivery.lost.aborted) return;
        // What stays is swept away some day.
        place.remove(key).catch((thrown: unknown) => {
          logger.debug('the content of a message could not be removed', { key, error: String(thrown) });
        });
      },
    };
  }
}
