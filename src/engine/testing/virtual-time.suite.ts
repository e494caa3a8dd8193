import { setImmediate } from 'node:timers/promises';
import type { Clock, Timers } from '../../core/ports/clock.ts';

type Timer = { readonly at: number; readonly order: number; readonly call: () => void };

const START = 1_700_000_000_000;
/** More turns than any test needs: whoever takes them all is running in a circle. */
const MOST_TURNS = 20_000;

/** Time that passes only when the test says so. Clock and timers of every engine in it. */
export class VirtualTime implements Clock, Timers {
  #now = 0;
  #order = 0;
  #soon: (() => void)[] = [];
  readonly #timers = new Set<Timer>();
  /** Difference between the wall clock and the real passing of time. */
  wallJump = 0;

  wall(): number {
    return START + this.#now + this.wallJump;
  }

  monotonic(): number {
    return this.#now;
  }

  /** What a store's clock says: it goes by the passing of time, whatever happens to the wall clock. */
  readonly storeClock = (): number => START + Math.floor(this.#now);

  after(ms: number, call: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), order: this.#order++, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  soon(call: () => void): void {
    this.#soon.push(call);
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Lets everything run that can run without time passing. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      // All microtasks have run when the loop turns; real time plays no part in it.
      await setImmediate();
      const calls = this.#soon.splice(0);
      if (calls.length === 0) return;
      for (const call of calls) call();
    }
    throw new Error('something is running in a circle');
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.settle();
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const next = this.#next();
      if (next === null || next.at > end) {
        this.#now = end;
        return this.settle();
      }
      await this.#fire(next);
    }
    throw new Error(`more than ${MOST_TURNS} timers fired within ${ms} ms`);
  }

  /** Lets time pass until the promise settles; fails when there is nothing left that could settle it. */
  async until<Value>(promise: Promise<Value>, within_ms = 600_000): Promise<Value> {
    let over = false;
    const done = () => {
      over = true;
    };
    promise.then(done, done);
    const end = this.#now + within_ms;
    for (await this.settle(); !over; ) {
      const next = this.#next();
      if (next === null || next.at > end) throw new Error('nothing is left that could settle the promise');
      await this.#fire(next);
    }
    return promise;
  }

  #next(): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers) if (first === null || isBefore(timer, first)) first = timer;
    return first;
  }

  async #fire(timer: Timer): Promise<void> {
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, timer.at);
    timer.call();
    await this.settle();
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
