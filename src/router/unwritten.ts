import { type Bucket, leastIn, steady } from '../core/pool/bucket.ts';

/** What is taken of fast rates is written down so often at most; by then a bucket is full again, whatever was taken. */
export const WRITE_MS = 1000;

/** The time in which somebody who was killed may have taken what nobody wrote down, by wall time. */
export class Unwritten {
  #until: number | null = null;

  /**
   * `at`: when whoever had the sheet before wrote it; null where that says everything. However long ago that was, there may have
   * been calls after a rest, and the end before they were written.
   */
  found(at: number | null, now: number): void {
    if (at !== null) this.#until = now;
  }

  forget(): void {
    this.#until = null;
  }

  /** A bucket as it is at the least; null stands for one that nobody has heard of, which is full. */
  least(bucket: Bucket | null, now: number): Bucket | null {
    const until = this.#endsAt(now);
    return until === null ? bucket : leastIn(bucket ?? { tokens: 0, at: until }, until);
  }

  /** What to leave in a sheet that says everything but this. */
  left(now: number): number | null {
    return this.#endsAt(now);
  }

  #endsAt(now: number): number | null {
    if (this.#until === null) return null;
    // A clock that was set back must not put it off.
    this.#until = steady({ tokens: 0, at: this.#until }, now).at;
    if (now - this.#until >= WRITE_MS) this.#until = null;
    return this.#until;
  }
}
