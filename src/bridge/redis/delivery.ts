import type { Delivery, News } from '../broker.ts';
import type { Entry } from './entries.ts';

/** One message that is with a member. Who took it away may be told long after it was handed out, and hardly ever is. */
export class RedisDelivery implements Delivery {
  readonly id: string;
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers: News['headers'];
  readonly place: string;
  readonly redelivered: boolean;
  readonly #done: (delivery: RedisDelivery) => void;
  #loss: AbortController | undefined;

  constructor(
    { id, news }: Entry,
    options: { topic: string; redelivered: boolean; done: (delivery: RedisDelivery) => void },
  ) {
    this.id = id;
    this.key = news.key;
    this.value = news.value;
    this.headers = news.headers;
    this.place = `${options.topic}/0/${id}`;
    this.redelivered = options.redelivered;
    this.#done = options.done;
  }

  get lost(): AbortSignal {
    this.#loss ??= new AbortController();
    return this.#loss.signal;
  }

  ack(): void {
    this.#done(this);
  }

  lose(): void {
    this.#loss ??= new AbortController();
    this.#loss.abort();
  }
}
