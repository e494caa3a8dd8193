import type { Logger } from '../../core/ports/logger.ts';
import type { ConsumeOptions, Delivery, DeliveryHandler, News } from '../broker.ts';
import { handOut } from '../handing.ts';
import { Watermark } from '../watermark.ts';
import type { Owner, Share } from './share.ts';

/** One share while a member has it: what it has handed out, and what tells of its loss. */
type Held = {
  readonly share: Share;
  readonly mark: Watermark;
  readonly loss: AbortController;
  position: number;
};

export type MemberOptions = ConsumeOptions & {
  readonly handler: DeliveryHandler;
  readonly logger: Logger;
  /** A group has come further: what is done with need not be kept. */
  readonly moved: () => void;
  /** Whether the broker can be reached at this moment. */
  readonly reachable: () => boolean;
};

/** One consumer of a group. */
export class Member implements Owner {
  readonly #options: MemberOptions;
  readonly #held = new Map<Share, Held>();
  #open = 0;
  #waking = false;
  paused = false;
  quiet = false;

  constructor(options: MemberOptions) {
    this.#options = options;
  }

  take(share: Share): void {
    const held = {
      share,
      mark: new Watermark(share.done),
      loss: new AbortController(),
      position: share.done,
    };
    this.#held.set(share, held);
  }

  lose(share: Share): void {
    const held = this.#held.get(share);
    if (held === undefined) return;
    this.#held.delete(share);
    this.#open -= held.mark.open;
    held.loss.abort();
  }

  /** Looks for messages when everything that can run now has run. */
  wake(): void {
    if (this.#waking) return;
    this.#waking = true;
    setImmediate(() => {
      this.#waking = false;
      this.#hand();
    });
  }

  #hand(): void {
    if (this.paused || this.quiet || !this.#options.reachable()) return;
    const deliveries: Delivery[] = [];
    for (const held of this.#held.values())
      while (this.#open < this.#options.most_unacknowledged) {
        const message = held.share.partition.at(held.position);
        if (message === undefined) break;
        deliveries.push(this.#delivery(held, message));
      }
    if (deliveries.length === 0) return;
    const { topic, handler, logger } = this.#options;
    handOut(deliveries, { topic, handler, logger });
  }

  #delivery(held: Held, message: News): Delivery {
    const { share, mark, loss } = held;
    const offset = held.position;
    const handed = mark.hand(offset);
    const redelivered = offset < share.highest;
    held.position += 1;
    share.highest = Math.max(share.highest, held.position);
    this.#open += 1;
    const ack = () => {
      if (loss.signal.aborted || !mark.done(handed)) return;
      this.#open -= 1;
      if (mark.next > share.done) {
        share.done = mark.next;
        this.#options.moved();
      }
      this.wake();
    };
    const place = `${this.#options.topic}/${share.partition.number}/${offset}`;
    return { ...message, value: Buffer.from(message.value), place, redelivered, ack, lost: loss.signal };
  }
}
