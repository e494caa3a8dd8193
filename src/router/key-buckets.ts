import {
  type Bucket,
  dueIn,
  fullBucket,
  inBucket,
  isSameRate,
  isSlow,
  type RateLimit,
  steady,
  takenFrom,
} from '../core/pool/bucket.ts';
import { type Demand, tidied } from '../core/pool/sheet.ts';
import type { Clock } from '../core/ports/clock.ts';
import { KeySlices } from './key-slices.ts';
import type { Tokens } from './tokens.ts';
import { Unwritten, WRITE_MS } from './unwritten.ts';

/** What was taken is written down soon, and then every `WRITE_MS` at most. */
const FIRST_MS = 20;
/** Who has them all may not have heard that somebody else wants some. */
const LOOK_MS = 2000;
/** Stands in the sheet beside the names of limits, and makes whoever has it as a whole share it. */
const wanted: Demand = { name: 'rates', most: 0, used: 0, keep: 0, hungry: true, yields: false };

/** Who takes from the buckets of a sheet: this process alone, several that fetch each token first, or another one alone. */
export type Takers = 'we' | 'all' | 'another';

/** `at`: when it was written that others may have taken more since; null where nobody has. */
export type Stored = { readonly buckets: ReadonlyMap<string, Bucket>; readonly at: number | null };
export type Settled = Stored & { readonly apply: () => void };

export type KeyBucketsParts = {
  readonly clock: Clock;
  /** Nobody else takes from them. */
  readonly isWhole: () => boolean;
  /** The sheet has to be looked at in so many milliseconds. */
  readonly look: (ms: number) => void;
};

/**
 * The rates of many keys out of one sheet. While nobody else takes from them they are counted here and written down
 * a little later, unless a kill would forget too much by it; otherwise each is fetched before it is used.
 */
export class KeyBuckets {
  readonly #parts: KeyBucketsParts;
  /** As they are, by wall time; null where that is in the store. */
  #own: Map<string, Bucket> | null = null;
  #changed = false;
  #writtenAt = Number.NEGATIVE_INFINITY;
  readonly #slices = new KeySlices();
  #limit: RateLimit | null = null;
  /** When it was seen that another one takes from them alone. */
  #shutAt: number | null = null;
  readonly #unwritten = new Unwritten();

  constructor(parts: KeyBucketsParts) {
    this.#parts = parts;
  }

  tokens(name: string, limit: RateLimit): Tokens {
    if (!isSameRate(limit, this.#limit)) this.#slices.forgetDue();
    this.#limit = limit;
    return {
      limit,
      free: (now) => this.#left(name, limit, now),
      left: (now) => this.#left(name, limit, now),
      want: (now) => this.#want(name, limit, now),
      take: () => this.#take(name, limit),
      nextAt: (now) => this.#nextAt(name, limit, now),
      isFull: (now) => this.#isFull(name, limit, now),
      // It goes back with the sheet, once it is stale.
      drop: async () => {},
    };
  }

  isNews(now: number): boolean {
    if (this.#isForSlices && (this.#shutAt === null || now - this.#shutAt >= LOOK_MS)) {
      const due = this.#slices.isAsked ? 0 : this.#staleAt();
      if (due !== null && due <= now) return true;
    }
    return this.#parts.isWhole() && this.#changed && now - this.#writtenAt >= WRITE_MS;
  }

  /** When there is something to write, if nothing else happens until then; null for never. */
  nextLook(): number | null {
    const due = this.#slices.isAsked ? 0 : this.#staleAt();
    if (this.#shutAt !== null && due !== null) return Math.max(due, this.#shutAt + LOOK_MS);
    if (this.#changed && this.#parts.isWhole()) return this.#writtenAt + WRITE_MS;
    return this.#isForSlices ? due : null;
  }

  /** What to say in a sheet that another one has as a whole. */
  demands(): readonly Demand[] {
    return this.#slices.isAsked ? [wanted] : [];
  }

  /** What the sheet has to say of them, and what to do when it does. `left`: by whom it was written before. */
  settle({ buckets: stored, at }: Stored, takers: Takers, left: 'by us' | 'by another'): Settled {
    const limit = this.#limit;
    const now = { wall: this.#parts.clock.wall(), monotonic: this.#parts.clock.monotonic() };
    // What is in the store may be old, and what would be taken there is not seen by whoever counts alone.
    if (takers === 'another') return { buckets: stored, at, apply: () => this.#shut() };
    if (left === 'by another') this.#unwritten.found(at, now.wall);
    if (limit === null && takers === 'all') return { buckets: stored, at, apply: () => this.#open() };
    if (limit === null) return { buckets: stored, at: now.wall, apply: () => this.#keep(new Map(stored)) };
    const buckets =
      this.#own ?? new Map([...stored].map(([name, bucket]) => [name, steady(bucket, now.wall)]));
    if (takers === 'we' && !isSlow(limit)) {
      this.#changed = false;
      return { buckets: tidied(buckets, limit, now.wall), at: now.wall, apply: () => this.#keep(buckets) };
    }
    const fetched = this.#slices.settle(this.#surely(buckets, limit, now.wall), limit, now);
    const apply = () => {
      this.#open();
      fetched.apply(this.#parts.clock.monotonic());
    };
    return { buckets: tidied(fetched.buckets, limit, now.wall), at: null, apply };
  }

  /** Nobody takes from them any more: what is left, and when it was written that more may have been taken than that. */
  left(stored: ReadonlyMap<string, Bucket>): Stored {
    const now = this.#parts.clock.wall();
    const own = this.#own;
    const buckets = own === null || this.#limit === null ? stored : tidied(own, this.#limit, now);
    return { buckets, at: this.#unwritten.left(now) };
  }

  /** What is written of fast rates may be behind; what is written of others is all there is. */
  #surely(buckets: ReadonlyMap<string, Bucket>, limit: RateLimit, now: number): ReadonlyMap<string, Bucket> {
    if (isSlow(limit)) return buckets;
    return new Map(
      [...buckets].map(([name, bucket]) => [name, this.#unwritten.least(bucket, now) ?? bucket]),
    );
  }

  forget(): void {
    this.#unwritten.forget();
    this.#shutAt = null;
    this.#own = null;
    this.#changed = false;
    this.#slices.clear();
  }

  /** Nobody else takes from them, and what is taken may be written a little later. */
  #isAlone(limit: RateLimit | null): boolean {
    return this.#parts.isWhole() && this.#own !== null && (limit === null || !isSlow(limit));
  }

  get #isForSlices(): boolean {
    return !this.#isAlone(this.#limit);
  }

  /** What comes back slowly must not be lost to whoever comes next; of the rest there is soon as much again. */
  #staleAt(): number | null {
    return this.#limit !== null && isSlow(this.#limit) ? this.#slices.staleAt() : null;
  }

  #shut(): void {
    this.#open();
    this.#shutAt = this.#parts.clock.monotonic();
    this.#slices.dropStale(this.#shutAt);
  }

  /** From now on each is fetched. */
  #open(): void {
    this.#shutAt = null;
    this.#own = null;
    this.#changed = false;
  }

  #keep(own: Map<string, Bucket>): void {
    this.#shutAt = null;
    const limit = this.#limit;
    this.#own = limit === null ? own : new Map(tidied(own, limit, this.#parts.clock.wall()));
    this.#slices.clear();
    this.#writtenAt = this.#parts.clock.monotonic();
    if (this.#changed) this.#parts.look(WRITE_MS);
  }

  #bucket(name: string, limit: RateLimit): Bucket {
    const now = this.#parts.clock.wall();
    const found = this.#own?.get(name);
    const known = found === undefined ? null : steady(found, now);
    // Once and for all: with every look anew it would never be later than that.
    if (known !== null && known.at !== found?.at) this.#own?.set(name, known);
    return this.#unwritten.least(known, now) ?? fullBucket(limit, now);
  }

  #left(name: string, limit: RateLimit, now: number): number {
    if (!this.#isAlone(limit)) return this.#slices.left(name, now);
    return inBucket(this.#bucket(name, limit), limit, this.#parts.clock.wall());
  }

  #want(name: string, limit: RateLimit, now: number): void {
    if (!this.#isAlone(limit) && this.#slices.ask(name, limit, now)) this.#parts.look(0);
  }

  #take(name: string, limit: RateLimit): void {
    if (!this.#isAlone(limit)) {
      this.#slices.take(name);
      return;
    }
    const now = this.#parts.clock.wall();
    const { bucket } = takenFrom(this.#bucket(name, limit), limit, { count: 1, now });
    this.#own?.set(name, bucket);
    if (this.#changed) return;
    this.#changed = true;
    this.#parts.look(Math.max(FIRST_MS, this.#writtenAt + WRITE_MS - this.#parts.clock.monotonic()));
  }

  #nextAt(name: string, limit: RateLimit, now: number): number | null {
    if (!this.#isAlone(limit)) return this.#slices.nextAt(name, now);
    const wall = this.#parts.clock.wall();
    const bucket = this.#bucket(name, limit);
    const free = inBucket(bucket, limit, wall);
    // Full: there will be more when somebody has taken one.
    return free >= limit.burst
      ? null
      : now + Math.max(1, dueIn(bucket, limit, { count: free + 1, now: wall }));
  }

  #isFull(name: string, limit: RateLimit, now: number): boolean {
    const left = this.#left(name, limit, now);
    return this.#isAlone(limit) ? left >= limit.burst : left === 0 && !this.#slices.isAskedFor(name);
  }
}
