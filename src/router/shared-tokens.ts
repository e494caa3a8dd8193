import { GleitzeitError } from '../core/errors.ts';
import { isObject, own } from '../core/json.ts';
import {
  type Bucket,
  dueIn,
  exchanged,
  fullBucket,
  inBucket,
  type RateLimit,
  steady,
} from '../core/pool/bucket.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { SharedState } from './shared-state.ts';
import type { Tokens } from './tokens.ts';

export type { SharedState } from './shared-state.ts';

export type SharedTokensParts = {
  readonly state: SharedState;
  /** Its wall time is the store's. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  /** There are tokens now, or it is known when. */
  readonly more: () => void;
};

/** So much of what comes is fetched at once: fewer writes, and little that is lost with an engine. */
const SLICE_MS = 500;
/** What was fetched and not used by then goes back: calls after a rest must not come on top of the burst. */
const STALE_MS = 2000;
const UNREADABLE_MS = 1000;
const AGAIN_MS = 20;
/** Others were quicker so often: it is tried again with the next call. */
const MOST_TRIES = 5;

/**
 * Tokens of a bucket that is in the store: for all engines together, and over restarts. Each fetches a few at a time for
 * calls that are to be made, and again while some are left as long as calls keep coming, so that these never wait for the
 * store. Who only looks takes none.
 */
export class SharedTokens implements Tokens {
  readonly limit: RateLimit;
  readonly #name: string;
  readonly #parts: SharedTokensParts;
  readonly #slice: number;
  #here = 0;
  /** Not used any more, and not yet written to be in the bucket again. */
  #back = 0;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #tookAt = Number.NEGATIVE_INFINITY;
  #work: Promise<void> | null = null;
  #cancelTidy: (() => void) | null = null;
  #dropped = false;
  /** Not before then are there more. */
  #dueAt = Number.NEGATIVE_INFINITY;
  #last: { readonly bucket: Bucket; readonly version: number } | null = null;

  constructor(name: string, limit: RateLimit, parts: SharedTokensParts) {
    this.limit = limit;
    this.#name = name;
    this.#parts = parts;
    this.#slice = Math.max(1, Math.min(limit.burst, Math.floor(limit.per_ms * SLICE_MS)));
    void this.#look();
  }

  free(now: number): number {
    return this.#isStale(now) ? 0 : this.#here;
  }

  /** With what was in the store when it was last seen, and what has come since; a bucket that was never seen is full. */
  left(now: number): number {
    const here = this.free(now);
    if (now < this.#dueAt) return here;
    const bucket = this.#last?.bucket;
    const there =
      bucket === undefined ? this.limit.burst : inBucket(bucket, this.limit, this.#parts.clock.wall());
    return Math.min(here + there, this.limit.burst);
  }

  want(now: number): void {
    if (this.#work !== null || this.#dropped || now < this.#dueAt) return;
    if (this.free(now) > this.#slice / 2) return;
    this.#setAside(now);
    this.#begin(this.#slice);
  }

  take(now: number): void {
    if (this.#last !== null) {
      // Those that are here fill the bucket too: what comes on top of both is lost, or there would be a second burst.
      const looked = { count: 0, here: this.#here, back: 0, now: this.#parts.clock.wall() };
      this.#last = { ...this.#last, bucket: exchanged(this.#last.bucket, this.limit, looked).bucket };
    }
    this.#here--;
    const isSteady = now - this.#tookAt < STALE_MS;
    this.#tookAt = now;
    if (isSteady) this.want(now);
  }

  async drop(): Promise<void> {
    this.#dropped = true;
    this.#cancelTidy?.();
    await this.#work;
    this.#back += Math.max(0, this.#here);
    this.#here = 0;
    if (this.#back > 0) await this.#begin(0);
  }

  nextAt(now: number): number | null {
    if (this.#work !== null) return null;
    if (this.#dueAt > now) return this.#dueAt;
    // Those that are here are kept for somebody: there will be more when they have been taken.
    return this.#here > 0 ? null : now + 1;
  }

  isFull(): boolean {
    return false;
  }

  #isStale(now: number): boolean {
    return now - this.#fetchedAt > STALE_MS;
  }

  /** At once, and not when it is written: calls begin meanwhile. */
  #setAside(now: number): void {
    if (!this.#isStale(now) || this.#here <= 0) return;
    this.#back += this.#here;
    this.#here = 0;
  }

  /** What nobody uses goes back in time, whether or not anybody asks. */
  #tidyIn(ms: number): void {
    if (this.#dropped || this.#cancelTidy !== null) return;
    this.#cancelTidy = this.#parts.timers.after(ms, () => {
      this.#cancelTidy = null;
      const now = this.#parts.clock.monotonic();
      this.#setAside(now);
      if (this.#back > 0 && this.#work === null) this.#begin(0);
      else if (this.#back > 0) this.#tidyIn(AGAIN_MS);
      else if (this.#here > 0) this.#tidyIn(this.#fetchedAt + STALE_MS + 1 - now);
    });
  }

  /** Before any call it is of use to know how many there are. */
  async #look(): Promise<void> {
    const known = await this.#read().catch(() => null);
    this.#last ??= known;
  }

  #begin(count: number): Promise<void> {
    const work = this.#exchange(count)
      .catch((thrown: unknown) => {
        const { message } = GleitzeitError.from(thrown);
        this.#parts.logger.warn('a rate limit could not be read; its calls wait', {
          limit: this.#name,
          error: message,
        });
        this.#dueAt = this.#parts.clock.monotonic() + UNREADABLE_MS;
      })
      .finally(() => {
        this.#work = null;
        this.#parts.more();
      });
    this.#work = work;
    return work;
  }

  /** Gives back what was not used, and takes as many as there are then, up to `count`. */
  async #exchange(count: number): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const known = this.#last ?? (await this.#read());
      const now = this.#parts.clock.wall();
      const back = this.#back;
      const want = { count, here: Math.max(0, this.#here), back, now };
      const { bucket, taken } = exchanged(steady(known.bucket, now), this.limit, want);
      if (taken + back === 0) {
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
      if (await this.#write(bucket, known.version)) {
        this.#back -= back;
        this.#got(taken);
        if (taken === 0 && count > 0) this.#wait(dueIn(bucket, this.limit, { count: 1, now }));
        return;
      }
    }
    this.#wait(1);
  }

  #wait(ms: number): void {
    this.#dueAt = this.#parts.clock.monotonic() + Math.max(1, ms);
  }

  #got(taken: number): void {
    if (taken === 0) return;
    this.#here += taken;
    this.#fetchedAt = this.#parts.clock.monotonic();
    this.#tidyIn(STALE_MS + 1);
  }

  async #read(): Promise<{ bucket: Bucket; version: number }> {
    const found = await this.#parts.state.read(this.#name);
    const bucket = found === null ? null : bucketIn(found.text);
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
      if (GleitzeitError.from(thrown).code === 'GLZ1013') return false;
      // It may be written all the same: what would go back again could come to more than there was.
      this.#back = 0;
      throw thrown;
    }
  }
}

/** What is written in a document of a rate; null where it makes no sense. */
export function bucketIn(text: string): Bucket | null {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return null;
  const tokens = own(value, 'tokens');
  const at = own(value, 'at');
  return typeof tokens === 'number' && typeof at === 'number' ? { tokens, at } : null;
}
