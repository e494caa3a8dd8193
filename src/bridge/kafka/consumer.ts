import type { Consumer as Client } from '@platformatic/kafka';
import type { ConsumeOptions, Consumer, Delivery, DeliveryHandler } from '../broker.ts';
import { handOut } from '../handing.ts';
import { within } from '../within.ts';
import { Commits } from './commits.ts';
import type { Driver } from './driver.ts';
import { kafkaError } from './errors.ts';
import { Fetcher } from './fetcher.ts';
import { Held } from './held.ts';
import { Membership } from './membership.ts';
import type { Settings } from './options.ts';

export type KafkaConsumerOptions = ConsumeOptions & {
  readonly driver: Driver;
  readonly settings: Settings;
  readonly handler: DeliveryHandler;
};

const RETRY_DELAY = 200;

/** One member of a group: has some partitions, hands out what is in them, and tells the broker how far it is. */
export class KafkaConsumer implements Consumer {
  readonly #options: KafkaConsumerOptions;
  readonly #held = new Map<number, Held>();
  readonly #client: Client;
  readonly #fetcher: Fetcher;
  readonly #commits: Commits;
  readonly #membership: Membership;
  #assigned: ReadonlySet<number> = new Set();
  #open = 0;
  #handing = false;
  #paused = false;
  #quiet = false;
  #stopped = false;
  #taking: Promise<void> = Promise.resolve();

  constructor(options: KafkaConsumerOptions) {
    const { driver, settings, topic, group } = options;
    this.#options = options;
    this.#client = new driver.Consumer({ ...settings.base, groupId: group });
    this.#client.topics.track(topic);
    this.#fetcher = new Fetcher({ client: this.#client, settings, topic, arrived: () => this.#hand() });
    this.#membership = new Membership({
      driver,
      settings,
      topic,
      group,
      assigned: (partitions, anew) => this.#reassign(partitions, anew),
    });
    this.#commits = new Commits({
      driver,
      settings,
      topic,
      group,
      standing: () => this.#membership.standing,
    });
  }

  async join(): Promise<void> {
    await this.#membership.join();
    await this.#taking;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#handSoon();
    this.#fetcher.poke();
  }

  async quiet(): Promise<void> {
    this.#quiet = true;
  }

  async stop(deadline_ms: number): Promise<void> {
    if (this.#stopped) return;
    this.#quiet = true;
    this.#stopped = true;
    this.#fetcher.stop();
    const end = performance.now() + deadline_ms;
    await within(this.#commits.stop(), deadline_ms);
    this.#drop([...this.#held.values()]);
    const ended = Promise.allSettled([this.#membership.leave(), this.#client.close(true)]);
    await within(ended, Math.max(0, end - performance.now()));
  }

  /** What is not ours any more goes at once; what is new begins where the group has come to. */
  #reassign(partitions: readonly number[], anew: boolean): void {
    if (this.#stopped) return;
    this.#assigned = new Set(partitions);
    const lost = [...this.#held.values()].filter((held) => anew || !this.#assigned.has(held.partition));
    // How far they are done is told once more, for whoever is next.
    if (!anew && lost.length > 0) void this.#commits.flush(lost).catch(() => {});
    this.#drop(lost);
    this.#taking = this.#taking.then(() => this.#takeNew());
  }

  #drop(lost: readonly Held[]): void {
    for (const held of lost) {
      this.#held.delete(held.partition);
      this.#fetcher.drop(held);
      this.#commits.drop(held);
      this.#open -= held.open;
      held.lose();
    }
  }

  async #takeNew(): Promise<void> {
    for (;;) {
      const fresh = [...this.#assigned].filter((partition) => !this.#held.has(partition));
      if (this.#stopped || fresh.length === 0) return;
      const standing = this.#membership.standing;
      try {
        const starts = await this.#commits.starts(fresh);
        // What was assigned meanwhile is looked at anew: somebody else may have come further.
        if (standing?.generationId !== this.#membership.standing?.generationId) continue;
        for (const [partition, start] of starts) this.#take(partition, start);
      } catch (error) {
        const { settings, topic, group } = this.#options;
        settings.logger.debug(
          kafkaError(`where ${group} is in ${topic} is not known`, settings.where, error).message,
        );
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
      }
    }
  }

  #take(partition: number, start: bigint): void {
    if (this.#stopped || !this.#assigned.has(partition)) return;
    const held: Held = new Held({
      topic: this.#options.topic,
      partition,
      start,
      wanted: () => !this.#paused && !this.#quiet && this.#open < this.#options.most_unacknowledged,
      done: () => this.#done(held),
    });
    this.#held.set(partition, held);
    this.#commits.keep(held);
    this.#fetcher.read(held);
  }

  #done(held: Held): void {
    this.#open -= 1;
    if (held.done > held.committed) this.#commits.soon();
    this.#handSoon();
  }

  #handSoon(): void {
    if (this.#handing) return;
    this.#handing = true;
    setImmediate(() => {
      this.#handing = false;
      this.#hand();
    });
  }

  #hand(): void {
    if (this.#paused || this.#quiet) return;
    const deliveries: Delivery[] = [];
    const waiting = [...this.#held.values()].filter((held) => held.waiting > 0);
    for (const [index, held] of waiting.entries()) {
      // Each partition has its part of what may be handed out, so that none waits for another.
      const room = this.#options.most_unacknowledged - this.#open;
      const part = held.hand(Math.ceil(room / (waiting.length - index)));
      this.#open += part.length;
      for (const delivery of part) deliveries.push(delivery);
    }
    const { topic, handler, settings } = this.#options;
    if (deliveries.length > 0) handOut(deliveries, { topic, handler, logger: settings.logger });
    // Not before: what is fetched next are the partitions of which nothing waits here.
    this.#fetcher.poke();
  }
}
