import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';

export type LoopParts = { readonly timers: Timers; readonly logger: Logger };

/** One background duty: done, then again after as long as it asks for, at once when told, never twice at the same time. */
export class Loop {
  readonly #parts: LoopParts;
  readonly #name: string;
  readonly #duty: () => Promise<number>;
  #cancel: (() => void) | null = null;
  #due = Number.POSITIVE_INFINITY;
  #running = false;
  #again = false;
  #stopped = true;

  /** `duty` answers after how many milliseconds it wants to run again. */
  constructor(name: string, parts: LoopParts, duty: () => Promise<number>) {
    this.#name = name;
    this.#parts = parts;
    this.#duty = duty;
  }

  start(): void {
    this.#stopped = false;
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancel = null;
  }

  /** Runs at the latest after `ms`. */
  within(ms: number): void {
    if (this.#stopped) return;
    if (this.#running) {
      this.#again ||= ms <= 0;
      this.#due = Math.min(this.#due, ms);
      return;
    }
    if (this.#cancel !== null && this.#due <= ms) return;
    this.#sleep(ms);
  }

  #sleep(ms: number): void {
    this.#cancel?.();
    this.#due = ms;
    this.#cancel = this.#parts.timers.after(Math.max(0, ms), () => void this.#run());
  }

  async #run(): Promise<void> {
    if (this.#running || this.#stopped) return;
    this.#cancel = null;
    this.#due = Number.POSITIVE_INFINITY;
    this.#running = true;
    let wait = 1000;
    try {
      wait = await this.#duty();
    } catch (thrown) {
      const error = GleitzeitError.from(thrown);
      this.#parts.logger.warn(`${this.#name} failed and will be tried again`, {
        code: error.code,
        error: error.message,
      });
    }
    this.#running = false;
    if (this.#stopped) return;
    const next = this.#again ? 0 : Math.min(wait, this.#due);
    this.#again = false;
    this.#sleep(next);
  }
}
