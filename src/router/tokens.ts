import { type Bucket, dueIn, fullBucket, inBucket, type RateLimit, takenFrom } from '../core/pool/bucket.ts';

/** What lets so many calls begin in a while. */
export interface Tokens {
  readonly limit: RateLimit;
  /** How many calls may begin now. */
  free(now: number): number;
  /** The same with those that are only to be fetched, as far as is known here. */
  left(now: number): number;
  /** Somebody is to be let in: more are fetched where few are here. */
  want(now: number): void;
  take(now: number): void;
  /** When the next is there, as far as that is known; null where somebody will tell. */
  nextAt(now: number): number | null;
  /** Nobody can tell it from one that was never used. */
  isFull(now: number): boolean;
  /** Nobody is let in by it any more: what was fetched and not used goes back. */
  drop(): Promise<void>;
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

  want(): void {}

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

  async drop(): Promise<void> {}
}
