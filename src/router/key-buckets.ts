import { type Bucket, dueIn, inBucket, type RateLimit, steady } from '../core/pool/bucket.ts';
import { type Demand, takenTokens, tidied } from '../core/pool/sheet.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Tokens } from './tokens.ts';

/** What was taken is written down soon, and then so often at most. */
const FIRST_MS = 20;
const WRITE_MS = 1000;
/** So much of what comes is fetched at once where others take too, and given up where it was not used by then. */
const SLICE_MS = 250;
const STALE_MS = 2000;
/** Who has them all may not have heard that somebody else wants some. */
const LOOK_MS = 2000;
/** Stands in the sheet beside the names of limits, and makes whoever has it as a whole share it. */
const wanted: Demand = { name: 'rates', most: 0, used: 0, keep: 0, hungry: true, yields: false };

/** Who takes from the buckets of a sheet: this process alone, several that fetch each token first, or another one alone. */
export type Takers = 'we' | 'all' | 'another';

export type KeyBucketsParts = {
  readonly clock: Clock;
  /** Nobody else takes from them. */
  readonly isWhole: () => boolean;
  /** The sheet has to be looked at in so many milliseconds. */
  readonly look: (ms: number) => void;
};

/** Tokens of a key that were fetched, and when there are more. */
type Slice = { here: number; fetchedAt: number; dueAt: number };

/**
 * The rates of many keys out of one sheet. While nobody else takes from them they are counted here and written down
 * a little later; otherwise each is fetched before it is used.
 */
export class KeyBuckets {
  readonly #parts: KeyBucketsParts;
  /** As they are, by wall time; null where that is in the store. */
  #own: Map<string, Bucket> | null = null;
  #changed = false;
  #writtenAt = Number.NEGATIVE_INFINITY;
  readonly #slices = new Map<string, Slice>();
  readonly #asked = new Map<string, number>();
  #limit: RateLimit | null = null;
  /** When it was seen that another one takes from them alone. */
  #shutAt: number | null = null;

  constructor(parts: KeyBucketsParts) {
    this.#parts = parts;
  }

  tokens(name: string, limit: RateLimit): Tokens {
    this.#limit = limit;
    return {
      limit,
      free: (now) => this.#free(name, limit, now, true),
      left: (now) => this.#free(name, limit, now, false),
      take: () => this.#take(name, limit),
      nextAt: (now) => this.#nextAt(name, limit, now),
      isFull: (now) => this.#isFull(name, limit, now),
    };
  }

  isNews(now: number): boolean {
    if (!this.#parts.isWhole())
      return this.#asked.size > 0 && (this.#shutAt === null || now - this.#shutAt >= LOOK_MS);
    return this.#changed && now - this.#writtenAt >= WRITE_MS;
  }

  /** When there is something to write, if nothing else happens until then; null for never. */
  nextLook(): number | null {
    if (this.#shutAt !== null && this.#asked.size > 0) return this.#shutAt + LOOK_MS;
    return this.#changed && this.#parts.isWhole() ? this.#writtenAt + WRITE_MS : null;
  }

  /** What to say in a sheet that another one has as a whole. */
  demands(): readonly Demand[] {
    return this.#asked.size > 0 ? [wanted] : [];
  }

  /** What the sheet has to say of them, and what to do when it does. */
  settle(stored: ReadonlyMap<string, Bucket>, takers: Takers) {
    const { clock } = this.#parts;
    const now = clock.wall();
    const limit = this.#limit;
    const whole = takers === 'we';
    // What is in the store may be old, and what would be taken there is not seen by whoever counts alone.
    if (takers === 'another') return { buckets: stored, apply: () => this.#shut() };
    if (limit === null)
      return {
        buckets: stored,
        apply: () => (whole ? this.#keep(new Map(stored)) : this.#fetched(new Map())),
      };
    let buckets: ReadonlyMap<string, Bucket> =
      this.#own ?? new Map([...stored].map(([name, bucket]) => [name, steady(bucket, now)]));
    if (whole) {
      const own = this.#own ?? new Map(buckets);
      this.#changed = false;
      return { buckets: tidied(buckets, limit, now), apply: () => this.#keep(own) };
    }
    const slices = new Map<string, Slice>();
    for (const [name, count] of this.#asked) {
      const next = takenTokens(buckets, { name, limit, count, now });
      buckets = next.buckets;
      const due = next.taken > 0 ? 0 : Math.max(1, dueIn(next.bucket, limit, { count: 1, now }));
      const at = clock.monotonic();
      slices.set(name, { here: next.taken, fetchedAt: at, dueAt: at + due });
    }
    return { buckets: tidied(buckets, limit, now), apply: () => this.#fetched(slices) };
  }

  forget(): void {
    this.#shutAt = null;
    this.#own = null;
    this.#changed = false;
    this.#slices.clear();
  }

  #shut(): void {
    this.#own = null;
    this.#shutAt = this.#parts.clock.monotonic();
  }

  #keep(own: Map<string, Bucket>): void {
    this.#shutAt = null;
    const limit = this.#limit;
    this.#own = limit === null ? own : new Map(tidied(own, limit, this.#parts.clock.wall()));
    this.#slices.clear();
    this.#asked.clear();
    this.#writtenAt = this.#parts.clock.monotonic();
    if (this.#changed) this.#parts.look(WRITE_MS);
  }

  #fetched(slices: ReadonlyMap<string, Slice>): void {
    this.#shutAt = null;
    this.#own = null;
    for (const [name, slice] of slices) {
      const before = this.#slices.get(name)?.here ?? 0;
      this.#slices.set(name, { ...slice, here: before + slice.here });
      this.#asked.delete(name);
    }
    const now = this.#parts.clock.monotonic();
    for (const [name, { fetchedAt, dueAt }] of this.#slices)
      if (now - fetchedAt > STALE_MS && dueAt <= now) this.#slices.delete(name);
  }

  #bucket(name: string, limit: RateLimit): Bucket {
    const now = this.#parts.clock.wall();
    return steady(this.#own?.get(name) ?? { tokens: limit.burst, at: now }, now);
  }

  #free(name: string, limit: RateLimit, now: number, asks: boolean): number {
    if (this.#parts.isWhole()) return inBucket(this.#bucket(name, limit), limit, this.#parts.clock.wall());
    const slice = this.#slices.get(name);
    const here = slice === undefined || now - slice.fetchedAt > STALE_MS ? 0 : slice.here;
    if (slice !== undefined) slice.here = here;
    const size = Math.max(1, Math.min(limit.burst, Math.floor(limit.per_ms * SLICE_MS)));
    if (asks && here <= size / 2 && now >= (slice?.dueAt ?? now) && !this.#asked.has(name)) {
      this.#asked.set(name, size);
      this.#parts.look(0);
    }
    return here;
  }

  #take(name: string, limit: RateLimit): void {
    const slice = this.#slices.get(name);
    if (!this.#parts.isWhole()) {
      if (slice !== undefined) slice.here--;
      return;
    }
    const now = this.#parts.clock.wall();
    const { bucket } = takenTokens(new Map([[name, this.#bucket(name, limit)]]), {
      name,
      limit,
      count: 1,
      now,
    });
    this.#own?.set(name, bucket);
    if (this.#changed) return;
    this.#changed = true;
    this.#parts.look(Math.max(FIRST_MS, this.#writtenAt + WRITE_MS - this.#parts.clock.monotonic()));
  }

  #nextAt(name: string, limit: RateLimit, now: number): number | null {
    if (this.#parts.isWhole()) {
      const wall = this.#parts.clock.wall();
      const bucket = this.#bucket(name, limit);
      const free = inBucket(bucket, limit, wall);
      // Full: there will be more when somebody has taken one.
      return free >= limit.burst
        ? null
        : now + Math.max(1, dueIn(bucket, limit, { count: free + 1, now: wall }));
    }
    const slice = this.#slices.get(name);
    if (this.#asked.has(name) || slice === undefined) return null;
    if (slice.dueAt > now) return slice.dueAt;
    return slice.here > 0 ? null : now + 1;
  }

  #isFull(name: string, limit: RateLimit, now: number): boolean {
    if (this.#parts.isWhole()) return this.#free(name, limit, now, false) >= limit.burst;
    return this.#free(name, limit, now, false) === 0 && !this.#asked.has(name);
  }
}
