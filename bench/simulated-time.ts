import type { Clock, Timers } from '../src/core/ports/clock.ts';

type Timer = { readonly at: number; readonly order: number; call: (() => void) | null };

/** Time that goes from one timer to the next. A heap, since there are many of them. */
export class SimulatedTime implements Clock, Timers {
  readonly #heap: Timer[] = [];
  #now = 0;
  #order = 0;

  wall(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, call: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, call };
    this.#heap.push(timer);
    this.#rise(this.#heap.length - 1);
    return () => {
      timer.call = null;
    };
  }

  soon(call: () => void): void {
    this.after(0, call);
  }

  /** Goes on to the next timer and calls it; false where there is none. */
  next(): boolean {
    for (let first = this.#take(); first !== undefined; first = this.#take()) {
      if (first.call === null) continue;
      this.#now = first.at;
      first.call();
      return true;
    }
    return false;
  }

  #take(): Timer | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (last === undefined || last === first) return first;
    this.#heap[0] = last;
    this.#sink(0);
    return first;
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(at, above)) return;
      this.#swap(at, above);
      at = above;
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const left = 2 * at + 1;
      const right = left + 1;
      const least = this.#isBefore(right, left) ? right : left;
      if (!this.#isBefore(least, at)) return;
      this.#swap(least, at);
      at = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined) return false;
    return b === undefined || a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
