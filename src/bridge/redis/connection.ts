import type { RedisClientType } from '@redis/client';
import type { Driver } from './driver.ts';
import type { Settings } from './options.ts';

/** What a server answers, with texts as bytes. */
export type Reply = Buffer | number | null | readonly Reply[];

type Client = RedisClientType<Record<string, never>, Record<string, never>, Record<string, never>, 2>;

const RECONNECT_LEAST = 50;
const RECONNECT_MOST = 1000;
const CONNECT_TIMEOUT = 5000;
const PING_EVERY = 2000;
/** A server from which nothing comes for so long, though it is asked, is gone. */
const SILENCE = 10_000;

/** One connection that is made again after each cut. What is asked while there is none is refused at once. */
export class Connection {
  readonly #client: Client;
  readonly #settings: Settings;
  readonly #waiting = new Set<() => void>();
  #cause: unknown;
  /** Grows with every connection that was made. */
  epoch = 0;

  constructor(driver: Driver, settings: Settings, changed: (ready: boolean) => void = () => {}) {
    this.#settings = settings;
    const { url, username, password, tls, client_id } = settings;
    const reconnectStrategy = (retries: number) => Math.min(RECONNECT_LEAST * 2 ** retries, RECONNECT_MOST);
    const common = { connectTimeout: CONNECT_TIMEOUT, socketTimeout: SILENCE, reconnectStrategy };
    this.#client = driver.createClient({
      url,
      name: client_id,
      RESP: 2,
      disableOfflineQueue: true,
      pingInterval: PING_EVERY,
      commandOptions: { typeMapping: { [driver.RESP_TYPES.BLOB_STRING]: Buffer } },
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      socket: tls === undefined ? common : { ...common, ...tls, tls: true },
    }) as Client;
    this.#client.on('ready', () => {
      this.epoch += 1;
      this.#cause = undefined;
      changed(true);
      for (const look of [...this.#waiting]) look();
    });
    this.#client.on('error', (error: unknown) => {
      this.#cause = error;
      changed(false);
    });
    // It goes on trying by itself, and `error` has told why it could not.
    this.#client.connect().catch(() => {});
  }

  get ready(): boolean {
    return this.#client.isReady;
  }

  /** Why there is no connection, where there is none. */
  get cause(): unknown {
    return this.#cause;
  }

  /** Resolves when there is a connection, or the signal is aborted. */
  untilReady(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!this.ready && !signal.aborted) return;
        this.#waiting.delete(look);
        signal.removeEventListener('abort', look);
        resolve();
      };
      this.#waiting.add(look);
      signal.addEventListener('abort', look);
      look();
    });
  }

  /** All that is asked in one tick travels together. */
  ask(...command: readonly (string | Buffer | number)[]): Promise<Reply> {
    const words = command.map((word) => (typeof word === 'number' ? String(word) : word));
    return this.#client.sendCommand<Reply>(words);
  }

  /** News of a channel, as bytes; again by itself after a cut. */
  async hear(channel: string, heard: (bytes: Buffer) => void): Promise<() => Promise<void>> {
    await this.#client.subscribe(channel, heard, true);
    return () => this.#client.unsubscribe(channel, heard, true);
  }

  /** One more, for what holds a connection up: reading that waits, and listening. */
  another(driver: Driver): Connection {
    return new Connection(driver, this.#settings);
  }

  close(): void {
    if (this.#client.isOpen) this.#client.destroy();
    for (const look of [...this.#waiting]) look();
  }
}
