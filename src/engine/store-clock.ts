import type { Clock } from '../core/ports/clock.ts';

/** What time it is by the store, as far as an engine knows that: what the last commit said, and the while since. */
export class StoreClock {
  readonly #clock: Clock;
  #heard: { readonly at: number; readonly said: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  heard(said: number): void {
    this.#heard = { at: this.#clock.monotonic(), said };
  }

  now(): number {
    if (this.#heard === null) return this.#clock.wall();
    return this.#heard.said + this.#clock.monotonic() - this.#heard.at;
  }
}
