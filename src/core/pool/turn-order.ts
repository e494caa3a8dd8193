type Turn = { readonly key: string; readonly turn: number };

/** Of so many it is remembered when they had their last turn; whoever had it before all of these comes like somebody new. */
const MOST_REMEMBERED = 10_000;

/**
 * Who comes next of those who wait: whoever had a turn least recently, also where he was not there for a while. Who comes for the
 * first time comes after all who are there. So nobody gets more turns by being back sooner, and nobody fewer by being away.
 */
export class TurnOrder {
  readonly #most: number;
  readonly #there = new Map<string, number>();
  /** First the one who had a turn least recently. */
  readonly #served = new Map<string, number>();
  /** By their turns; some in it may have left. */
  readonly #order: Turn[] = [];
  #last = 0;

  constructor(most = MOST_REMEMBERED) {
    this.#most = most;
  }

  join(key: string): void {
    if (this.#there.has(key)) return;
    const turn = this.#served.get(key) ?? ++this.#last;
    this.#there.set(key, turn);
    // Whoever is back soon belongs near the end.
    const before = this.#order.findLastIndex((one) => one.turn <= turn);
    this.#order.splice(before + 1, 0, { key, turn });
  }

  leave(key: string): void {
    this.#there.delete(key);
  }

  /** Whose turn it is; he has left with it. */
  next(): string | null {
    for (let first = this.#order.shift(); first !== undefined; first = this.#order.shift()) {
      const { key, turn } = first;
      if (this.#there.get(key) !== turn) continue;
      this.#there.delete(key);
      this.#remember(key);
      return key;
    }
    return null;
  }

  #remember(key: string): void {
    this.#served.delete(key);
    this.#served.set(key, ++this.#last);
    const [oldest] = this.#served.keys();
    if (oldest !== undefined && this.#served.size > this.#most) this.#served.delete(oldest);
  }
}
