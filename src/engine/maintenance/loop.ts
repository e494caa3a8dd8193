import { GleitzeitError } from '../../core/errors.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';

export type LoopParts = { readonly clock: Clock; readonly timers: Timers; readonly logger: Logger };

const AFTER_FAILURE_MS = 1000;

/** One background duty: done, then again after as long as it asks for, at once when told, never twice at the same time. */
export class Loop {
  readonly #parts: LoopParts;
  readonly #name: string;
  readonly #duty: () => Promise<number>;
  #cancel: (() => void) | null = null;
  /** When it runs next, by the monotonic clock. */
  #due = Number.POSITIVE_INFINITY;
  #running = false;
  #stopped = true;

  /** `duty` answers after how many milliseconds it wants to run again. */
  constructor(name: string, parts: LoopParts, duty: () => Promise<number>) {
    this.#name = name;
    this.#parts = parts;
    this.#duty = duty;
  }

  start(): void {
    if (!this.#stopped) return;
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
    const due = this.#parts.clock.monotonic() + Math.max(0, ms);
    if (due >= this.#due) return;
    this.#due = due;
    if (!this.#running) this.#sleep();
  }

  #sleep(): void {
    this.#cancel?.();
    const ms = Math.max(0, this.#due - this.#parts.clock.monotonic());
    this.#cancel = this.#parts.timers.after(ms, () => void this.#run());
  }

  async #run(): Promise<void> {
    if (this.#running || this.#stopped) return;
    this.#cancel?.();
    this.#cancel = null;
    this.#due = Number.POSITIVE_INFINITY;
    this.#running = true;
    const wait = await this.#doDuty();
    this.#running = false;
    if (this.#stopped) return;
    this.#due = Math.min(this.#due, this.#parts.clock.monotonic() + wait);
    this.#sleep();
  }

  async #doDuty(): Promise<number> {
    try {
      return await this.#duty();
    } catch (thrown) {
      const error = GleitzeitError.from(thrown);
      this.#parts.logger.warn(`${this.#name} failed and will be tried again`, {
        code: error.code,
        error: error.message,
      });
      return AFTER_FAILURE_MS;
    }
  }
}
