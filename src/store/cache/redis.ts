import type { ConnectionOptions } from 'node:tls';
import type { RedisClientType } from '@redis/client';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { ResultRow } from '../../core/records.ts';
import { hashText } from '../hash.ts';
import type { ResultCache } from './result-cache.ts';

export type RedisCacheOptions = {
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: ConnectionOptions;
  readonly ttl_ms: number;
  /** What the names of all entries begin with: stores that share a server must not share it. */
  readonly prefix: string;
  readonly logger: Logger;
};

/** Characters of a result that are worth keeping twice. */
const LONGEST = 256 * 1024;
/** A cache that is slower than this is slower than the store. */
const PATIENCE = 100;
/** Questions that wait for an answer at most. */
const MOST_WAITING = 1000;
const CONNECT_TIMEOUT = 2000;
const RECONNECT_AFTER = 1000;

/** Results in Redis, each for some time. Opening it does not wait for the server. */
export async function openRedisCache(options: RedisCacheOptions): Promise<ResultCache> {
  return new RedisCache(await loadDriver(), options);
}

type Driver = Awaited<ReturnType<typeof loadDriver>>;

async function loadDriver() {
  try {
    return await import('@redis/client');
  } catch (thrown) {
    const reason = 'the package @redis/client cannot be loaded';
    const hint = 'install it beside gleitzeit: npm install @redis/client; or take cache.url out';
    throw new GleitzeitError(
      'GLZ1012',
      `there is no cache of results: ${reason}`,
      { field: 'cache.url', reason, hint },
      thrown,
    );
  }
}

class RedisCache implements ResultCache {
  readonly #client: RedisClientType;
  readonly #options: RedisCacheOptions;
  #waiting = 0;
  #away = false;

  constructor(driver: Driver, options: RedisCacheOptions) {
    const { url, username, password, tls } = options;
    const socket = { connectTimeout: CONNECT_TIMEOUT, reconnectStrategy: () => RECONNECT_AFTER };
    this.#options = options;
    this.#client = driver.createClient({
      url,
      disableOfflineQueue: true,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      socket: tls === undefined ? socket : { ...socket, ...tls, tls: true },
    }) as RedisClientType;
    this.#client.on('error', (error: unknown) => this.#failed(error));
    this.#client.on('ready', () => this.#returned());
    // It goes on trying by itself, and `error` tells why it could not.
    this.#client.connect().catch(() => {});
  }

  async get(task_id: string): Promise<ResultRow | null> {
    if (!this.#client.isReady || this.#waiting >= MOST_WAITING) return null;
    this.#waiting += 1;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), PATIENCE);
    });
    const asked = this.#client.get(this.#key(task_id)).catch(() => null);
    void asked.finally(() => {
      this.#waiting -= 1;
    });
    const text = await Promise.race([asked, over]);
    clearTimeout(timer);
    return text === null ? null : rowIn(text, task_id);
  }

  put(row: ResultRow): void {
    if (!this.#client.isReady || this.#waiting >= MOST_WAITING || row.result.length > LONGEST) return;
    this.#waiting += 1;
    const expiration = { type: 'PX', value: this.#options.ttl_ms } as const;
    void this.#client
      .set(this.#key(row.task_id), JSON.stringify(row), { expiration })
      .catch(() => {})
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  close(): void {
    if (this.#client.isOpen) this.#client.destroy();
  }

  #key(task_id: string): string {
    return `${this.#options.prefix}${task_id}`;
  }

  /** Said once, however long it lasts: nobody is the worse for it. */
  #failed(error: unknown): void {
    if (this.#away) return;
    this.#away = true;
    const reason = error instanceof Error ? error.message : String(error);
    const { logger, url } = this.#options;
    logger.warn('the cache of results is away; they come from the store', {
      cache: new URL(url).host,
      reason,
    });
  }

  #returned(): void {
    if (!this.#away) return;
    this.#away = false;
    this.#options.logger.info('the cache of results is back', { cache: new URL(this.#options.url).host });
  }
}

/** What stands there may be anybody's: it counts only where it is a result of this task, and whole. */
function rowIn(text: string, task_id: string): ResultRow | null {
  const row = parsed(text);
  if (!isObject(row) || row['task_id'] !== task_id) return null;
  const { run_key, result, hash, stored_at } = row;
  if (typeof run_key !== 'string' || typeof result !== 'string' || typeof stored_at !== 'number') return null;
  return typeof hash === 'string' && hashText(result) === hash
    ? { task_id, run_key, result, hash, stored_at }
    : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
