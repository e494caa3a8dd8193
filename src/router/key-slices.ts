import { type Bucket, dueIn, isSlow, type RateLimit, type Want } from '../core/pool/bucket.ts';
import { takenTokens } from '../core/pool/sheet.ts';

/** So much of what comes is fetched at once, and given back where it was not used by then. */
const SLICE_MS = 250;
const STALE_MS = 2000;

/** Tokens of a key that were fetched, and when there are more. */
type Slice = {
  here: number;
  /** Not used any more, and not yet written to be in the bucket again. */
  back: number;
  readonly got: number;
  readonly fetchedAt: number;
  dueAt: number;
};

export type Moment = { readonly wall: number; readonly monotonic: number };

/** Tokens of many keys that are out of their buckets before they are used, as the store has it. */
export class KeySlices {
  readonly #slices = new Map<string, Slice>();
  readonly #asked = new Map<string, number>();

  get isAsked(): boolean {
    return this.#asked.size > 0;
  }

  isAskedFor(name: string): boolean {
    return this.#asked.has(name);
  }

  left(name: string, now: number): number {
    const slice = this.#slices.get(name);
    return slice === undefined || isStale(slice, now) ? 0 : slice.here;
  }

  /** Asks for more where few are left. Returns whether it has just begun to. */
  ask(name: string, limit: RateLimit, now: number): boolean {
    const slice = this.#slices.get(name);
    const size = Math.max(1, Math.min(limit.burst, Math.floor(limit.per_ms * SLICE_MS)));
    if (this.left(name, now) > size / 2 || now < (slice?.dueAt ?? now) || this.#asked.has(name)) return false;
    // What comes in a moment may be less than one: a burst that is used up at once is fetched in ever larger parts.
    const isBurst = isSlow(limit) && slice !== undefined && !isStale(slice, now);
    this.#asked.set(name, isBurst ? Math.min(limit.burst, Math.max(size, 2 * slice.got)) : size);
    return true;
  }

  take(name: string): void {
    const slice = this.#slices.get(name);
    if (slice !== undefined) slice.here--;
  }

  nextAt(name: string, now: number): number | null {
    const slice = this.#slices.get(name);
    if (this.#asked.has(name) || slice === undefined) return null;
    if (slice.dueAt > now) return slice.dueAt;
    return this.left(name, now) > 0 ? null : now + 1;
  }

  /** When the first of those that nobody used have to be given back, or null. */
  staleAt(): number | null {
    let first: number | null = null;
    for (const slice of this.#slices.values())
      if (slice.here + slice.back > 0) first = Math.min(first ?? slice.fetchedAt, slice.fetchedAt);
    return first === null ? null : first + STALE_MS + 1;
  }

  /** The buckets without what is fetched, and what to do when they are written like that. */
  settle(stored: ReadonlyMap<string, Bucket>, limit: RateLimit, { wall, monotonic }: Moment) {
    const wants = this.#wants(monotonic);
    const { buckets, taken } = takenTokens(stored, { wants, limit, now: wall });
    const slices = new Map<string, Slice>();
    for (const [name, { bucket, taken: got }] of taken) {
      const wait_ms = got > 0 ? 0 : Math.max(1, dueIn(bucket, limit, { count: 1, now: wall }));
      slices.set(name, { here: got, back: 0, got, fetchedAt: monotonic, dueAt: monotonic + wait_ms });
    }
    return { buckets, apply: (now: number) => this.#fetched(slices, now) };
  }

  #wants(now: number): ReadonlyMap<string, Want> {
    const wants = new Map<string, Want>();
    for (const [name, slice] of this.#slices) {
      // At once, and not when it is written: calls begin meanwhile.
      if (isStale(slice, now)) {
        slice.back += Math.max(0, slice.here);
        slice.here = 0;
      }
      if (slice.back > 0) wants.set(name, { count: 0, here: 0, back: slice.back });
    }
    for (const [name, count] of this.#asked)
      wants.set(name, { count, here: this.left(name, now), back: wants.get(name)?.back ?? 0 });
    return wants;
  }

  /** The limit is another: when there is more is not known any more. */
  forgetDue(): void {
    for (const slice of this.#slices.values()) slice.dueAt = Number.NEGATIVE_INFINITY;
  }

  /** What was fetched and cannot be given back: somebody else counts alone. */
  dropStale(now: number): void {
    for (const [name, slice] of this.#slices) if (isStale(slice, now)) this.#slices.delete(name);
  }

  clear(): void {
    this.#slices.clear();
    this.#asked.clear();
  }

  #fetched(slices: ReadonlyMap<string, Slice>, now: number): void {
    for (const [name, slice] of slices) {
      const before = this.#slices.get(name)?.here ?? 0;
      this.#slices.set(name, { ...slice, here: before + slice.here });
      this.#asked.delete(name);
    }
    for (const [name, slice] of this.#slices)
      if (isStale(slice, now) && slice.here + slice.back <= 0 && slice.dueAt <= now)
        this.#slices.delete(name);
  }
}

function isStale({ fetchedAt }: Slice, now: number): boolean {
  return now - fetchedAt > STALE_MS;
}
