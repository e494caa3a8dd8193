import type { Consumer as Client } from '@platformatic/kafka';
import type { Consumer, News, NewsHandler } from '../broker.ts';
import { handOut } from '../handing.ts';
import { within } from '../within.ts';
import type { Driver } from './driver.ts';
import { Fetcher, LATEST } from './fetcher.ts';
import type { Settings } from './options.ts';
import { newsOf } from './records.ts';

export type KafkaListenerOptions = {
  readonly driver: Driver;
  readonly settings: Settings;
  readonly topic: string;
  readonly handler: NewsHandler;
};

/** Reads all partitions of a topic from now on, by itself: nobody shares with it, and it acknowledges nothing. */
export class KafkaListener implements Consumer {
  readonly #options: KafkaListenerOptions;
  readonly #client: Client;
  readonly #fetcher: Fetcher;
  #came: News[] = [];
  #paused = false;
  #stopped = false;

  constructor(options: KafkaListenerOptions) {
    const { driver, settings, topic } = options;
    this.#options = options;
    // A name is wanted; the group is never joined.
    this.#client = new driver.Consumer({ ...settings.base, groupId: 'gleitzeit.listener' });
    this.#client.topics.track(topic);
    this.#fetcher = new Fetcher({ client: this.#client, settings, topic, arrived: () => this.#tell() });
  }

  async start(): Promise<void> {
    const { topic } = this.#options;
    const ends = (await this.#client.listOffsets({ topics: [topic], timestamp: LATEST })).get(topic) ?? [];
    for (const [partition, next] of ends.entries())
      this.#fetcher.read({
        partition,
        next,
        wanted: () => !this.#paused,
        took: (_offset, record) => this.#came.push(newsOf(record)),
      });
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#tell();
    this.#fetcher.poke();
  }

  quiet(): Promise<void> {
    return this.stop(0);
  }

  async stop(deadline_ms: number): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#fetcher.stop();
    await within(this.#client.close(true), deadline_ms);
  }

  #tell(): void {
    if (this.#paused || this.#stopped || this.#came.length === 0) return;
    const came = this.#came;
    this.#came = [];
    const { topic, handler, settings } = this.#options;
    handOut(came, { topic, handler, logger: settings.logger });
  }
}
