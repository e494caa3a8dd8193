import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';

const AGAIN_MS = 1000;

/** Brings something about, however often it takes, until it is ended. */
export class Patience {
  readonly #parts: { readonly timers: Timers; readonly logger: Logger };
  readonly #words: string;
  #trying: Promise<void> = Promise.resolve();
  #wake: () => void = () => {};
  #ended = false;

  constructor(parts: { readonly timers: Timers; readonly logger: Logger }, words: string) {
    this.#parts = parts;
    this.#words = words;
  }

  until(action: () => Promise<void>): void {
    this.#trying = this.#try(action);
  }

  /** Resolves when nothing is tried any more. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#wake();
    await this.#trying;
  }

  async #try(action: () => Promise<void>): Promise<void> {
    while (!this.#ended) {
      try {
        return await action();
      } catch (thrown) {
        const { code, message } = GleitzeitError.from(thrown);
        if (!this.#ended) this.#parts.logger.warn(this.#words, { error_code: code, error: message });
      }
      await this.pause(AGAIN_MS);
    }
  }

  /** At most so long; less where it ends. */
  async pause(ms: number): Promise<void> {
    if (this.#ended) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = this.#parts.timers.after(ms, resolve);
    await promise;
    cancel();
  }

  get ended(): boolean {
    return this.#ended;
  }
}
