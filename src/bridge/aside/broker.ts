import { randomUUID } from 'node:crypto';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type {
  Broker,
  BrokerState,
  ConsumeOptions,
  Consumer,
  DeliveryHandler,
  Message,
  NewsHandler,
  Topic,
} from '../broker.ts';
import { sizeOf } from '../errors.ts';
import { MAX_MESSAGE } from '../messages/read.ts';
import { Fetching } from './fetching.ts';
import { ASIDE, type AsidePlace, STUB } from './place.ts';

export type AsideParts = {
  readonly broker: Broker;
  readonly place: AsidePlace;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Wall time: names begin with it, so that what nobody fetched can be told from what is new. */
  readonly now: () => number;
};

/** Room for key, headers and what the broker itself adds to them. */
const ROOM = 4096;

/** A broker that also takes what is too large for it: that lies in the store, and a reference to it travels. */
export class AsideBroker implements Broker {
  readonly largest_message: number;
  readonly largest_aside = MAX_MESSAGE;
  readonly #parts: AsideParts;

  constructor(parts: AsideParts) {
    this.#parts = parts;
    this.largest_message = parts.broker.largest_message;
  }

  get state(): BrokerState {
    return this.#parts.broker.state;
  }

  ensure(topics: readonly Topic[]): Promise<void> {
    return this.#parts.broker.ensure(topics);
  }

  async publish(topic: string, messages: readonly Message[]): Promise<void> {
    const { broker, place } = this.#parts;
    if (!messages.some((message) => this.#isLarge(message))) return broker.publish(topic, messages);
    const keys: string[] = [];
    const sent: Message[] = [];
    try {
      for (const message of messages) {
        if (!this.#isLarge(message)) {
          sent.push(message);
          continue;
        }
        const key = asideKey(this.#parts.now(), randomUUID());
        await place.put(key, textOf(message.value));
        keys.push(key);
        const stub = message.stub === undefined ? {} : { [STUB]: message.stub };
        sent.push({ key: message.key, value: '', headers: { ...message.headers, [ASIDE]: key, ...stub } });
      }
    } catch (thrown) {
      // None was sent: nobody comes for what was put aside.
      for (const key of keys) place.remove(key).catch(() => {});
      throw thrown;
    }
    // What fails from here on may have been written all the same.
    await broker.publish(topic, sent);
  }

  async consume(options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    const { broker, place, timers, logger } = this.#parts;
    const fetching = new Fetching({ place, timers, logger, handler });
    return fetching.around(await broker.consume(options, fetching.take));
  }

  subscribe(topic: string, handler: NewsHandler): Promise<Consumer> {
    return this.#parts.broker.subscribe(topic, handler);
  }

  onState(listener: (state: BrokerState) => void): () => void {
    return this.#parts.broker.onState(listener);
  }

  lag(group: string, topic: string): Promise<number> {
    return this.#parts.broker.lag(group, topic);
  }

  partitionLags(group: string, topic: string): Promise<readonly number[]> {
    return this.#parts.broker.partitionLags(group, topic);
  }

  close(deadline_ms: number): Promise<void> {
    return this.#parts.broker.close(deadline_ms);
  }

  /** One that is too large for this, too, is refused by the broker. */
  #isLarge(message: Message): boolean {
    const size = sizeOf(message);
    return size > this.largest_message && size <= this.largest_aside + ROOM;
  }
}

function textOf(value: Message['value']): string {
  return typeof value === 'string' ? value : new TextDecoder().decode(value);
}

/** In the order of time, as texts are. */
export function asideKey(now_ms: number, id: string): string {
  return `${timeOf(now_ms)}-${id}`;
}

/** Names before this one belong to what was put aside before that time. */
export function timeOf(now_ms: number): string {
  return String(Math.max(0, Math.floor(now_ms))).padStart(15, '0');
}
