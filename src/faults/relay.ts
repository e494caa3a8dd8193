import type { Clock, Timers } from '../core/ports/clock.ts';
import { carryOut, type FaultyAnswer, Pauses, type Way } from './carry-out.ts';
import { noPlan, type Plan } from './plan.ts';

export type RelayParts = {
  readonly way: Way;
  readonly plan: () => Plan;
  readonly clock: Clock;
  readonly timers: Timers;
  /** More waits than may wait, or no longer so: whoever brings it should stop, or go on. */
  readonly crowded: (is: boolean) => void;
};

type Waiting = { readonly answer: FaultyAnswer; readonly plan: Plan; readonly due: number };

/** Bytes that may wait to go on. */
const ROOM = 1024 * 1024;

/** Hands on what comes over one line, in its order, each by its plan. */
export class Relay {
  readonly #parts: RelayParts;
  readonly #pauses: Pauses;
  readonly #queue: Waiting[] = [];
  readonly #rest: (() => void)[] = [];
  #bytes = 0;
  #works = false;
  /** Nothing goes on any more. */
  #shut = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    this.#pauses = new Pauses(parts.timers);
  }

  /** An answer, to which something may happen. */
  push(answer: FaultyAnswer): void {
    this.#add(answer, this.#parts.plan());
  }

  /** What is no answer keeps its place among them. */
  pass(bytes: Uint8Array): void {
    this.#add({ bytes, wrong: () => bytes }, noPlan);
  }

  /** Resolves when all that came has gone; never where a fault holds it back. */
  rest(): Promise<void> {
    if (!this.#works && !this.#shut) return Promise.resolve();
    return new Promise((resolve) => this.#rest.push(resolve));
  }

  end(): void {
    this.#shut = true;
    this.#queue.length = 0;
    this.#pauses.end();
    this.#count(0);
  }

  #add(answer: FaultyAnswer, plan: Plan): void {
    if (this.#shut) return;
    // Counted from when it came: what comes together is late together, and not one after the other.
    this.#queue.push({ answer, plan, due: this.#parts.clock.monotonic() + plan.wait_ms });
    this.#count(answer.bytes.length);
    if (!this.#works) void this.#work();
  }

  async #work(): Promise<void> {
    this.#works = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      await this.#pauses.wait(next.due - this.#parts.clock.monotonic());
      if (this.#shut) break;
      const carried = await carryOut(next.plan, next.answer, { way: this.#parts.way, pauses: this.#pauses });
      this.#count(-next.answer.bytes.length);
      // What comes after a silence is taken and dropped.
      if (carried !== 'done') this.end();
    }
    this.#works = false;
    if (!this.#shut) for (const tell of this.#rest.splice(0)) tell();
  }

  #count(bytes: number): void {
    const before = this.#bytes > ROOM;
    this.#bytes = this.#shut ? 0 : this.#bytes + bytes;
    const now = this.#bytes > ROOM;
    if (before !== now) this.#parts.crowded(now);
  }
}
