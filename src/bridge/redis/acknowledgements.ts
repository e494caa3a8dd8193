import { redisError } from './errors.ts';
import type { Settings } from './options.ts';

const PAGE = 1000;
const RETRY_DELAY = 200;

/** What is done and not known to the server yet: told in one command per tick, and again after a cut. */
export class Acknowledgements {
  readonly #acknowledge: (ids: readonly string[]) => Promise<void>;
  readonly #settings: Settings;
  readonly #ids = new Set<string>();
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(settings: Settings, acknowledge: (ids: readonly string[]) => Promise<void>) {
    this.#settings = settings;
    this.#acknowledge = acknowledge;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    this.#running ??= new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#tell())
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Resolves when all of them are known. */
  async flush(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  stop(): void {
    this.#stopped = true;
  }

  async #tell(): Promise<void> {
    while (this.#ids.size > 0 && !this.#stopped) {
      const ids = [...this.#ids].slice(0, PAGE);
      try {
        await this.#acknowledge(ids);
        for (const id of ids) this.#ids.delete(id);
      } catch (error) {
        const { logger, where } = this.#settings;
        logger.debug(redisError('acknowledgements could not be told', where, error).message);
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
      }
    }
  }
}
