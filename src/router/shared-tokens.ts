import { GleitzeitError } from '../core/errors.ts';
import { isObject, own } from '../core/json.ts';
import {
  type Bucket,
  dueIn,
  filled,
  fullBucket,
  inBucket,
  type RateLimit,
  steady,
  takenFrom,
} from '../core/pool/bucket.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { SharedState } from './shared-state.ts';
import type { Tokens } from './tokens.ts';

export type { SharedState } from './shared-state.ts';

export type SharedTokensParts = {
  readonly state: SharedState;
  readonly clock: Clock;
  readonly logger: Logger;
  /** There are tokens now, or it is known when. */
  readonly more: () => void;
};

/** So much of what comes is fetched at once: fewer writes, and little that is lost with an engine. */
const SLICE_MS = 500;
/** What was fetched and not used by then is given up: calls after a rest must not come on top of the burst. */
const STALE_MS = 2000;
const UNREADABLE_MS = 1000;
/** Others were quicker so often: it is tried again with the next call. */
const MOST_TRIES = 5;

/**
 * Tokens of a bucket that is in the store: for all engines together, and over restarts. Each fetches a few at a time, so
 * that a call never waits for the store while there are some.
 */
export class SharedTokens implements Tokens {
  readonly limit: RateLimit;
  readonly #name: string;
  readonly #parts: SharedTokensParts;
  readonly #slice: number;
  #here = 0;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #fetching = false;
  /** Not before then are there more. */
  #dueAt = Number.NEGATIVE_INFINITY;
  #last: { readonly bucket: Bucket; readonly version: number } | null = null;

  constructor(name: string, limit: RateLimit, parts: SharedTokensParts) {
    this.limit = limit;
    this.#name = name;
    this.#parts = parts;
    this.#slice = Math.max(1, Math.min(limit.burst, Math.floor(limit.per_ms * SLICE_MS)));
    this.#fetch();
  }

  free(now: number): number {
    if (now - this.#fetchedAt > STALE_MS) this.#here = 0;
    if (this.#here <= this.#slice / 2 && now >= this.#dueAt) this.#fetch();
    return this.#here;
  }

  /** With what was in the store when it was last seen, and what has come since. */
  left(now: number): number {
    const here = now - this.#fetchedAt > STALE_MS ? 0 : this.#here;
    const there = this.#last === null ? 0 : inBucket(this.#last.bucket, this.limit, this.#parts.clock.wall());
    return Math.min(here + there, this.limit.burst);
  }

  take(): void {
    if (this.#last !== null)
      this.#last = { ...this.#last, bucket: this.#beside(this.#last.bucket, this.#parts.clock.wall()) };
    this.#here--;
  }

  /** Those that are here fill the bucket too: what comes on top of both is lost, or there would be a second burst. */
  #beside(bucket: Bucket, now: number): Bucket {
    const { tokens, at } = filled(bucket, this.limit, now);
    return { tokens: Math.min(tokens, Math.max(0, this.limit.burst - this.#here)), at };
  }

  nextAt(now: number): number | null {
    if (this.#fetching) return null;
    if (this.#dueAt > now) return this.#dueAt;
    // Those that are here are kept for somebody: there will be more when they have been taken.
    return this.#here > 0 ? null : now + 1;
  }

  isFull(): boolean {
    return false;
  }

  #fetch(): void {
    if (this.#fetching) return;
    this.#fetching = true;
    void this.#fetchSlice()
      .catch((thrown: unknown) => {
        const { message } = GleitzeitError.from(thrown);
        this.#parts.logger.warn('a rate limit could not be read; its calls wait', {
          limit: this.#name,
          error: message,
        });
        this.#dueAt = this.#parts.clock.monotonic() + UNREADABLE_MS;
      })
      .finally(() => {
        this.#fetching = false;
        this.#parts.more();
      });
  }

  async #fetchSlice(): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const known = this.#last ?? (await this.#read());
      const now = this.#parts.clock.wall();
      const { bucket, taken } = takenFrom(this.#beside(steady(known.bucket, now), now), this.limit, {
        count: this.#slice,
        now,
      });
      if (taken === 0) {
        // What is known may be old: others take from it too.
        if (this.#last !== null) {
          this.#last = null;
          continue;
        }
        // From now on it counts by the clock as it is; whoever is quicker has seen to it.
        if (known.bucket.at > bucket.at) await this.#write(bucket, known.version);
        else this.#last = known;
        return this.#wait(dueIn(bucket, this.limit, { count: 1, now }));
      }
      if (await this.#write(bucket, known.version)) return this.#got(taken);
    }
    this.#wait(1);
  }

  #wait(ms: number): void {
    this.#dueAt = this.#parts.clock.monotonic() + Math.max(1, ms);
  }

  #got(taken: number): void {
    this.#here += taken;
    this.#fetchedAt = this.#parts.clock.monotonic();
  }

  async #read(): Promise<{ bucket: Bucket; version: number }> {
    const found = await this.#parts.state.read(this.#name);
    const bucket = found === null ? null : parse(found.text);
    const full = fullBucket(this.limit, this.#parts.clock.wall());
    return { bucket: bucket ?? full, version: found?.version ?? 0 };
  }

  /** False where somebody else was quicker. */
  async #write(bucket: Bucket, expect: number): Promise<boolean> {
    try {
      const { version } = await this.#parts.state.write(this.#name, JSON.stringify(bucket), expect);
      this.#last = { bucket, version };
      return true;
    } catch (thrown) {
      this.#last = null;
      if (GleitzeitError.from(thrown).code !== 'GLZ1013') throw thrown;
      return false;
    }
  }
}

function parse(text: string): Bucket | null {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return null;
  const tokens = own(value, 'tokens');
  const at = own(value, 'at');
  return typeof tokens === 'number' && typeof at === 'number' ? { tokens, at } : null;
}
