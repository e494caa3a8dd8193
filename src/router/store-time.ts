import type { Clock } from '../core/ports/clock.ts';

/** For so long the best that was heard counts; after it, whatever is heard next. */
const KEEP_MS = 10_000;

/**
 * The store's clock as an engine knows it, for what engines share: those of their machines may differ. Heard with each commit
 * that is answered, and never ahead of what the store would say: whoever hears of it late would only be late.
 */
export class StoreTime implements Clock {
  readonly #machine: Clock;
  #heard: { readonly ahead: number; readonly at: number } | null = null;

  constructor(machine: Clock) {
    this.#machine = machine;
  }

  monotonic(): number {
    return this.#machine.monotonic();
  }

  wall(): number {
    return this.#heard === null ? this.#machine.wall() : this.monotonic() + this.#heard.ahead;
  }

  /** What the store's clock showed a moment ago. */
  hear(store: number): void {
    const at = this.monotonic();
    const ahead = store - at;
    if (this.#heard === null || ahead > this.#heard.ahead || at - this.#heard.at >= KEEP_MS)
      this.#heard = { ahead, at };
  }
}
