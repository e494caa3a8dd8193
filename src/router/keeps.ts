/** Places that are kept for those who were called from a line, until they come or too long has passed. */
export class Keeps {
  readonly #until: number[] = [];

  /** How many are kept at this time. */
  count(now: number): number {
    while (this.#until[0] !== undefined && this.#until[0] <= now) this.#until.shift();
    return this.#until.length;
  }

  add(count: number, until: number): void {
    let at = this.#until.length;
    while (at > 0 && (this.#until[at - 1] ?? until) > until) at--;
    this.#until.splice(at, 0, ...Array<number>(count).fill(until));
  }

  /** Somebody came; false where nothing was kept. */
  use(now: number): boolean {
    if (this.count(now) === 0) return false;
    this.#until.shift();
    return true;
  }

  /** So many of those who were called last do not come. */
  drop(count: number): void {
    this.#until.splice(Math.max(0, this.#until.length - count), count);
  }

  /** When the first is given up, or null. */
  get until(): number | null {
    return this.#until[0] ?? null;
  }
}
