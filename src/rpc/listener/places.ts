export type PlacesParts = {
  /** How many are worked on at the same time. */
  readonly limit: number;
  /** How many may wait besides. One more keeps its place while it waits. */
  readonly waits: number;
  /** There is room for another one. */
  readonly freed: () => void;
};

/** The place of one message. */
export interface Place {
  /** Lets others have it while a call of the message waits for something that may take long. */
  aside<Result>(wait: () => Promise<Result>): Promise<Result>;
  leave(): void;
}

/**
 * How many messages of one connection are worked on. Those that only wait are counted apart: otherwise a peer that
 * waits for much could not even be heard to say that it waits no longer.
 */
export class Places {
  readonly #parts: PlacesParts;
  readonly #returning: (() => void)[] = [];
  #working = 0;
  #aside = 0;
  #ended = false;

  constructor(parts: PlacesParts) {
    this.#parts = parts;
  }

  get free(): boolean {
    return this.#working < this.#parts.limit;
  }

  /** Nothing is worked on, and nothing waits. */
  get idle(): boolean {
    return this.#working === 0 && this.#aside === 0;
  }

  take(): Place {
    this.#working++;
    let waits = 0;
    let isAside = false;
    return {
      aside: async (wait) => {
        if (waits++ === 0) isAside = this.#stepAside();
        try {
          return await wait();
        } finally {
          if (--waits === 0 && isAside) await this.#comeBack();
        }
      },
      leave: () => this.#give(),
    };
  }

  /** Nobody is there any more: what comes back has nobody to make way for. */
  end(): void {
    this.#ended = true;
    this.#working += this.#returning.length;
    for (const comeBack of this.#returning.splice(0)) comeBack();
  }

  #stepAside(): boolean {
    if (this.#aside >= this.#parts.waits) return false;
    this.#aside++;
    this.#give();
    return true;
  }

  async #comeBack(): Promise<void> {
    if (this.free || this.#ended) this.#working++;
    else await new Promise<void>((resolve) => this.#returning.push(resolve));
    this.#aside--;
  }

  /** To whoever comes back it is handed over, so that nobody comes in between. */
  #give(): void {
    const next = this.#returning.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.#working--;
    this.#parts.freed();
  }
}
