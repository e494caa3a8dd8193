import type { ChannelModel } from 'amqplib';
import type { Driver } from './driver.ts';
import type { Settings } from './options.ts';

const RECONNECT_LEAST = 50;
const RECONNECT_MOST = 1000;
const CONNECT_TIMEOUT = 5000;

/** One connection that is made again after each cut. */
export class Link {
  readonly #driver: Driver;
  readonly #settings: Settings;
  readonly #changed: (up: boolean) => void;
  readonly #users = new Set<(model: ChannelModel) => void>();
  readonly #waiting = new Set<() => void>();
  #model: ChannelModel | undefined;
  #timer: NodeJS.Timeout | undefined;
  #tries = 0;
  #closed = false;
  /** Why there is no connection, where there is none. */
  cause: unknown;

  constructor(driver: Driver, settings: Settings, changed: (up: boolean) => void) {
    this.#driver = driver;
    this.#settings = settings;
    this.#changed = changed;
    void this.#connect();
  }

  get model(): ChannelModel | undefined {
    return this.#model;
  }

  /** Calls with each connection: with the one that there is, and with every one that comes. */
  each(use: (model: ChannelModel) => void): () => void {
    this.#users.add(use);
    if (this.#model !== undefined) use(this.#model);
    return () => void this.#users.delete(use);
  }

  /** The connection, or undefined when the signal was aborted before there was one. */
  async until(signal: AbortSignal): Promise<ChannelModel | undefined> {
    await new Promise<void>((resolve) => {
      const look = () => {
        if (this.#model === undefined && !signal.aborted) return;
        this.#waiting.delete(look);
        signal.removeEventListener('abort', look);
        resolve();
      };
      this.#waiting.add(look);
      signal.addEventListener('abort', look);
      look();
    });
    return this.#model;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#model?.close().catch(() => {});
  }

  async #connect(): Promise<void> {
    const { url, tls, client_id, heartbeat_s } = this.#settings;
    const address = new URL(url);
    address.searchParams.set('heartbeat', String(heartbeat_s));
    try {
      const options = { ...tls, timeout: CONNECT_TIMEOUT, clientProperties: { connection_name: client_id } };
      this.#up(await this.#driver.connect(address.href, options));
    } catch (error) {
      this.#down(error);
    }
  }

  #up(model: ChannelModel): void {
    if (this.#closed) return void model.close().catch(() => {});
    // The reason comes first, and the end after it.
    model.on('error', (error: unknown) => {
      this.cause = error;
    });
    model.on('close', () => {
      if (this.#model === model) this.#down(this.cause);
    });
    this.#model = model;
    this.#tries = 0;
    this.cause = undefined;
    this.#changed(true);
    for (const use of [...this.#users]) use(model);
    for (const look of [...this.#waiting]) look();
  }

  #down(cause: unknown): void {
    this.#model = undefined;
    this.cause = cause;
    if (this.#closed) return;
    this.#changed(false);
    const delay = Math.min(RECONNECT_LEAST * 2 ** this.#tries, RECONNECT_MOST);
    this.#tries += 1;
    this.#timer = setTimeout(() => void this.#connect(), delay);
  }
}
