import type { Logger } from '../core/ports/logger.ts';

export type HandingOptions<Item> = {
  readonly topic: string;
  readonly handler: (items: readonly Item[]) => void;
  readonly logger: Logger;
  /** So many wait at most; then the oldest goes. Only for what nobody has to get. */
  readonly most?: number;
};

/** Hands out what came, all of a tick at once, and nothing while it is paused. */
export class Handing<Item> {
  readonly #options: HandingOptions<Item>;
  #waiting: Item[] = [];
  #scheduled = false;
  #paused = false;
  #quiet = false;

  constructor(options: HandingOptions<Item>) {
    this.#options = options;
  }

  get open(): boolean {
    return !this.#paused && !this.#quiet;
  }

  get waiting(): readonly Item[] {
    return this.#waiting;
  }

  add(items: readonly Item[]): void {
    for (const item of items) this.#waiting.push(item);
    const { most } = this.#options;
    if (most !== undefined && this.#waiting.length > most) this.#waiting = this.#waiting.slice(-most);
    this.#handSoon();
  }

  /** What does not hold is not handed out any more. */
  keep(holds: (item: Item) => boolean): void {
    this.#waiting = this.#waiting.filter(holds);
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#handSoon();
  }

  /** For good. */
  quiet(): void {
    this.#quiet = true;
  }

  #handSoon(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.open || this.#waiting.length === 0) return;
      const items = this.#waiting;
      this.#waiting = [];
      handOut(items, this.#options);
    });
  }
}

/** A handler must not throw. One that does must not end what brings the next ones, either. */
export function handOut<Item>(items: readonly Item[], options: HandingOptions<Item>): void {
  const { handler, logger, topic } = options;
  try {
    handler(items);
  } catch (error) {
    logger.error('messages were handed out and nobody could take them', { topic, reason: String(error) });
  }
}
