import { TurnOrder } from '../core/pool/turn-order.ts';
import type { Came, Line } from '../core/ports/router.ts';

export type Ring = (line: Line, places: number, astray: (count: number) => void) => Promise<Came>;

export type LineTurnsParts = {
  readonly ring: Ring;
  /** Nobody was there. */
  readonly vain: (line: Line) => void;
};

/** Who came unexpectedly, or left others behind, is a sign of so many more of the same key, but never of more than this in all. */
const MORE = 2;
const MOST_GUESSED = 64;
/** Lines that are asked once more in the end, in case somebody was missed. */
const MOST_EMPTIED = 1000;

/** How many are thought to have come so far, and how many of them were called, or were not there. */
type One = { readonly line: Line; joined: number; called: number };
type Call = { readonly one: One; count: number };

/**
 * Those who wait for the same and have different keys: each key has a line of its own in the store, and they are called in
 * turn, one of each, so that the many of one key are not before the few of another.
 */
export class LineTurns {
  readonly #base: Line;
  readonly #parts: LineTurnsParts;
  /** Lines in which somebody is known or thought to wait. */
  readonly #known = new Map<string, One>();
  readonly #order = new TurnOrder();
  readonly #emptied = new Map<string, Line>();
  /** Those of all lines together. */
  #waiting = 0;

  /** `base`: where those wait who have no key. */
  constructor(base: Line, parts: LineTurnsParts) {
    this.#base = base;
    this.#parts = parts;
  }

  /** `found`: by a look at all lines; it may have been known before. */
  joined(line: Line, found: boolean): void {
    const one = this.#of(line);
    if (!found || left(one) === 0) this.#count(one, { joined: one.joined + 1 });
  }

  knows(key: string): boolean {
    return this.#known.has(key) || this.#emptied.has(key);
  }

  /** Of so many keys somebody is known to wait; without end where there are some who have none. */
  get keys(): number {
    return this.#known.has(this.#base.key) ? Number.POSITIVE_INFINITY : this.#known.size;
  }

  suspect(line: Line): void {
    const one = this.#of(line);
    const more = Math.max(0, Math.min(MORE, MOST_GUESSED - left(one)));
    this.#count(one, { joined: one.joined + more });
  }

  /** Answers who comes of all keys together. */
  readonly ring = async (places: number, astray: (count: number) => void): Promise<Came> => {
    let count = 0;
    while (count < places) {
      const calls = this.#take(places - count).map((call) => this.#call(call, astray));
      if (calls.length === 0) break;
      for (const come of await Promise.all(calls)) count += come;
    }
    if (count === places) return { count, more: this.#waiting };
    const { count: others, more } = await this.#parts.ring(this.#base, places - count, astray);
    return { count: count + others, more: more + this.#waiting };
  };

  /** Nobody is known to wait any more: each line is called once more. */
  end(): void {
    // The store is away, or the engine has stopped; whoever starts next calls them.
    for (const line of [...this.#emptied.values(), ...[...this.#known.values()].map((one) => one.line)])
      this.#parts.ring(line, 1, () => {}).catch(() => {});
    this.#emptied.clear();
    this.#known.clear();
    this.#waiting = 0;
  }

  async #call({ one, count }: Call, astray: (count: number) => void): Promise<number> {
    const { line, joined } = one;
    const { count: come, more } = await this.#parts.ring(line, count, astray);
    if (come === 0) this.#parts.vain(line);
    if (more > 0) this.#leftBehind(line, { come, more });
    else if (this.#known.get(line.key) === one) {
      this.#count(one, { called: Math.max(one.called, joined) });
      if (left(one) === 0) this.#forget(line.key);
    }
    return come;
  }

  /** Where the store had the line before this process there are more in it than have come to it here. */
  #leftBehind(line: Line, { come, more }: { come: number; more: number }): void {
    const one = this.#of(line);
    if (left(one) >= more) return;
    this.#count(one, { joined: one.called + Math.max(more, Math.min(MORE * come, MOST_GUESSED)) });
  }

  #take(places: number): Call[] {
    const taken = new Map<string, Call>();
    for (let free = places; free > 0; free--) {
      const key = this.#order.next();
      const one = key === null ? undefined : this.#known.get(key);
      if (one === undefined) break;
      const { line } = one;
      this.#count(one, { called: one.called + 1 });
      if (left(one) > 0) this.#order.join(line.key);
      else this.#empty(line);
      const call = taken.get(line.key) ?? { one, count: 0 };
      call.count++;
      taken.set(line.key, call);
    }
    return [...taken.values()];
  }

  #empty(line: Line): void {
    this.#forget(line.key);
    if (line.key === this.#base.key) return;
    const [oldest] = this.#emptied.keys();
    if (oldest !== undefined && this.#emptied.size >= MOST_EMPTIED) this.#emptied.delete(oldest);
    this.#emptied.set(line.key, line);
  }

  #of(line: Line): One {
    const found = this.#known.get(line.key);
    if (found !== undefined) return found;
    const one = { line, joined: 0, called: 0 };
    this.#known.set(line.key, one);
    this.#order.join(line.key);
    this.#emptied.delete(line.key);
    return one;
  }

  /** Of one that is known. */
  #count(one: One, { joined = one.joined, called = one.called }: Partial<Omit<One, 'line'>>): void {
    this.#waiting += joined - called - left(one);
    one.joined = joined;
    one.called = called;
  }

  /** Nobody is left of it. */
  #forget(key: string): void {
    this.#known.delete(key);
    this.#order.leave(key);
  }
}

function left({ joined, called }: One): number {
  return joined - called;
}

/** The line of those of a key who wait for the same as all others. */
export function ofKey(line: Line, key: string | null): Line {
  return key === null || line.fair ? line : { ...line, key: `${line.key} ${key}` };
}
