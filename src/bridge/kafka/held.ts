import type { KafkaRecord } from '@platformatic/kafka';
import type { Delivery } from '../broker.ts';
import { Watermark } from '../watermark.ts';
import type { Reading } from './fetcher.ts';
import { newsOf } from './records.ts';

export type HeldOptions = {
  readonly topic: string;
  readonly partition: number;
  /** Where the group goes on. */
  readonly start: bigint;
  /** Whether the member wants more at all. */
  readonly wanted: () => boolean;
  /** One more of its deliveries is done with. */
  readonly done: () => void;
};

/** So many may be handed out beyond the first that is not done: they would all come again. */
const MOST_AHEAD = 100_000;

/** A partition while it is ours: what was fetched and handed out of it, and how far it is done. */
export class Held implements Reading {
  readonly partition: number;
  readonly #options: HeldOptions;
  readonly #mark: Watermark;
  readonly #loss = new AbortController();
  #fetched: { readonly offset: number; readonly record: KafkaRecord }[] = [];
  #handed = 0;
  next: bigint;
  /** How far the broker knows it to be done. */
  committed: number;

  constructor(options: HeldOptions) {
    this.#options = options;
    this.partition = options.partition;
    this.next = options.start;
    this.committed = Number(options.start);
    this.#mark = new Watermark(this.committed);
  }

  /** The first that is not done. */
  get done(): number {
    return this.#mark.next;
  }

  get open(): number {
    return this.#mark.open;
  }

  /** Fetched and not handed out. */
  get waiting(): number {
    return this.#fetched.length - this.#handed;
  }

  wanted(): boolean {
    return this.waiting === 0 && this.#mark.ahead < MOST_AHEAD && this.#options.wanted();
  }

  took(offset: number, record: KafkaRecord): void {
    this.#fetched.push({ offset, record });
  }

  /** The next so many, at most. */
  hand(most: number): Delivery[] {
    const from = this.#handed;
    this.#handed = Math.min(this.#fetched.length, from + Math.min(most, MOST_AHEAD - this.#mark.ahead));
    const deliveries = this.#fetched.slice(from, this.#handed).map((one) => this.#delivery(one));
    if (this.#handed === this.#fetched.length) {
      this.#fetched = [];
      this.#handed = 0;
    }
    return deliveries;
  }

  lose(): void {
    this.#fetched = [];
    this.#handed = 0;
    this.#loss.abort();
  }

  #delivery({ offset, record }: { readonly offset: number; readonly record: KafkaRecord }): Delivery {
    const handed = this.#mark.hand(offset);
    const ack = () => {
      if (!this.#loss.signal.aborted && this.#mark.done(handed)) this.#options.done();
    };
    const place = `${this.#options.topic}/${this.partition}/${offset}`;
    return { ...newsOf(record), place, redelivered: false, ack, lost: this.#loss.signal };
  }
}
