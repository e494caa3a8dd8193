import type { Consumer, News } from '../broker.ts';
import { Handing, type HandingOptions } from '../handing.ts';
import type { Connection } from './connection.ts';
import { unpackNews } from './entries.ts';

/** So much news is kept for a listener that is paused; the oldest goes first. */
const MOST_NEWS = 10_000;

/** Hears what is published on a channel, from now on. */
export class RedisListener implements Consumer {
  readonly #connection: Connection;
  readonly #handing: Handing<News>;
  readonly #topic: string;

  constructor(connection: Connection, options: Omit<HandingOptions<News>, 'most'>) {
    this.#connection = connection;
    this.#topic = options.topic;
    this.#handing = new Handing({ ...options, most: MOST_NEWS });
  }

  async start(): Promise<void> {
    await this.#connection.hear(this.#topic, (bytes) => this.#handing.add([unpackNews(bytes)]));
  }

  pause(): void {
    this.#handing.pause();
  }

  resume(): void {
    this.#handing.resume();
  }

  quiet(): Promise<void> {
    return this.stop();
  }

  async stop(): Promise<void> {
    this.#handing.quiet();
    this.#connection.close();
  }
}
