import { SMALL_BYTES } from './limits.ts';

/** Counts the bytes that are held for requests under way, so that all of them together stay below a bound. */
export class HeldBytes {
  readonly #limit: number;
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get total(): number {
    return this.#total;
  }

  /** `before` is what the same request holds already. False: there is no room for it, and nothing was counted. */
  take(bytes: number, before: number): boolean {
    if (this.#total + bytes > this.#limit && before + bytes > SMALL_BYTES) return false;
    this.#total += bytes;
    return true;
  }

  /** What is there already and cannot be refused any more. */
  add(bytes: number): void {
    this.#total += bytes;
  }

  give(bytes: number): void {
    this.#total -= bytes;
  }
}
