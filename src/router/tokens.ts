import { type Bucket, dueIn, fullBucket, inBucket, type RateLimit, takenFrom } from '../core/pool/bucket.ts';

/** What lets so many calls begin in a while. */
export interface Tokens {
  readonly limit: RateLimit;
  free(now: number): number;
  /** The same for whoever only looks, as far as it is known here. */
  left(now: number): number;
  take(now: number): void;
  /** When the next is there, as far as that is known; null where somebody will tell. */
  nextAt(now: number): number | null;
  /** Nobody can tell it from one that was never used. */
  isFull(now: number): boolean;
}

/** Kept in memory: for limits of this process alone. */
export class OwnTokens implements Tokens {
  readonly limit: RateLimit;
  #bucket: Bucket;

  constructor(limit: RateLimit, now: number) {
    this.limit = limit;
    this.#bucket = fullBucket(limit, now);
  }

  free(now: number): number {
    return inBucket(this.#bucket, this.limit, now);
  }

  left(now: number): number {
    return this.free(now);
  }

  take(now: number): void {
    this.#bucket = takenFrom(this.#bucket, this.limit, { count: 1, now }).bucket;
  }

  nextAt(now: number): number | null {
    // Full: there will be more when somebody has taken one.
    if (this.isFull(now)) return null;
    const due = dueIn(this.#bucket, this.limit, { count: this.free(now) + 1, now });
    return now + Math.max(1, due);
  }

  isFull(now: number): boolean {
    return this.free(now) >= this.limit.burst;
  }
}
