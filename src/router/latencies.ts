/** How long the last calls took. Holds a fixed number of them, whatever is put in. */
export class Latencies {
  readonly #last: Float64Array;
  #count = 0;

  constructor(kept = 512) {
    this.#last = new Float64Array(kept);
  }

  add(ms: number): void {
    this.#last[this.#count++ % this.#last.length] = ms;
  }

  /** The time within which this share of the last calls was answered; null before the first. */
  quantile(share: number): number | null {
    const sorted = this.#last.slice(0, Math.min(this.#count, this.#last.length)).sort();
    return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  }
}

/** More digits would pretend to know more. */
export function roundedMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}
