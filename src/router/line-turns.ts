import type { Line } from '../core/ports/router.ts';

export type Ring = (line: Line, places: number, astray: (count: number) => void) => Promise<number>;

export type LineTurnsParts = {
  readonly ring: Ring;
  /** Nobody was there. */
  readonly vain: (line: Line) => void;
};

/** Who came unexpectedly is a sign of so many more of the same key, but never of more than this in all. */
const MORE = 2;
const MOST_GUESSED = 64;
/** Lines that are asked once more in the end, in case somebody was missed. */
const MOST_EMPTIED = 1000;

type One = { readonly line: Line; count: number };

/**
 * Those who wait for the same and have different keys: each key has a line of its own in the store, and they are called in
 * turn, one of each, so that the many of one key are not before the few of another.
 */
export class LineTurns {
  readonly #base: Line;
  readonly #parts: LineTurnsParts;
  /** Lines in which somebody is known or thought to wait; first the one whose turn it is. */
  readonly #known = new Map<string, One>();
  readonly #emptied = new Map<string, Line>();

  /** `base`: where those wait who have no key. */
  constructor(base: Line, parts: LineTurnsParts) {
    this.#base = base;
    this.#parts = parts;
  }

  /** `found`: by a look at all lines; it may have been known before. */
  joined(line: Line, found: boolean): void {
    const one = this.#of(line);
    one.count = found ? Math.max(one.count, 1) : one.count + 1;
  }

  suspect(line: Line): void {
    const one = this.#of(line);
    one.count = Math.max(one.count, Math.min(one.count + MORE, MOST_GUESSED));
  }

  /** Answers how many come of all keys together. Fewer than there are places only where nobody is left. */
  readonly ring = async (places: number, astray: (count: number) => void): Promise<number> => {
    let come = 0;
    while (come < places) {
      const calls = this.#take(places - come).map((one) => this.#call(one, astray));
      if (calls.length === 0) break;
      for (const count of await Promise.all(calls)) come += count;
    }
    return come < places ? come + (await this.#parts.ring(this.#base, places - come, astray)) : come;
  };

  /** Nobody is known to wait any more: each line is called once more. */
  end(): void {
    // The store is away, or the engine has stopped; whoever starts next calls them.
    for (const line of [...this.#emptied.values(), ...[...this.#known.values()].map((one) => one.line)])
      this.#parts.ring(line, 1, () => {}).catch(() => {});
    this.#emptied.clear();
    this.#known.clear();
  }

  async #call({ line, count }: One, astray: (count: number) => void): Promise<number> {
    const behind = this.#known.get(line.key)?.count ?? 0;
    const come = await this.#parts.ring(line, count, astray);
    if (come === 0) this.#parts.vain(line);
    const left = this.#known.get(line.key);
    if (come < count && left !== undefined) {
      left.count = Math.max(0, left.count - behind);
      if (left.count === 0) this.#known.delete(line.key);
    }
    return come;
  }

  #take(places: number): One[] {
    const taken = new Map<string, One>();
    for (let left = places; left > 0; left--) {
      const [first] = this.#known.values();
      if (first === undefined) break;
      const { line } = first;
      this.#known.delete(line.key);
      if (--first.count > 0) this.#known.set(line.key, first);
      else this.#empty(line);
      const one = taken.get(line.key) ?? { line, count: 0 };
      one.count++;
      taken.set(line.key, one);
    }
    return [...taken.values()];
  }

  #empty(line: Line): void {
    if (line.key === this.#base.key) return;
    const [oldest] = this.#emptied.keys();
    if (oldest !== undefined && this.#emptied.size >= MOST_EMPTIED) this.#emptied.delete(oldest);
    this.#emptied.set(line.key, line);
  }

  #of(line: Line): One {
    const found = this.#known.get(line.key);
    if (found !== undefined) return found;
    const one = { line, count: 0 };
    this.#known.set(line.key, one);
    this.#emptied.delete(line.key);
    return one;
  }
}

/** The line of those of a key who wait for the same as all others. */
export function ofKey(line: Line, key: string | null): Line {
  return key === null || line.fair ? line : { ...line, key: `${line.key} ${key}` };
}
