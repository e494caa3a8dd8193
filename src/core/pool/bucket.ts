/** So many calls a millisecond, and so many at once after a rest. */
export type RateLimit = { readonly per_ms: number; readonly burst: number };

export function isSameRate(one: RateLimit | null, other: RateLimit | null): boolean {
  return one?.per_ms === other?.per_ms && one?.burst === other?.burst;
}

/** Tokens there were at a moment; more have come since. */
export type Bucket = { readonly tokens: number; readonly at: number };

const units: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000 };
const written = /^(\d+(?:\.\d+)?)\s*\/\s*(s|min|h)$/;

/** `10/s`, `600/min`, `1000/h` as calls in so many milliseconds; null for anything else. */
export function parseRate(text: string): { readonly count: number; readonly ms: number } | null {
  const [, count = '', unit = ''] = written.exec(text.trim()) ?? [];
  const ms = units[unit];
  return ms === undefined || Number(count) === 0 ? null : { count: Number(count), ms };
}

/** What can be counted: from one call in a thousand hours to a million a second. */
const LEAST_PER_MS = 0.001 / 3_600_000;
const MOST_PER_MS = 1000;

export function isCountable({ count, ms }: { count: number; ms: number }): boolean {
  return count / ms >= LEAST_PER_MS && count / ms <= MOST_PER_MS;
}

/** Without a burst: what comes in a second, but at least one. */
export function rateLimit({ count, ms }: { count: number; ms: number }, burst?: number): RateLimit {
  const per_ms = count / ms;
  return { per_ms, burst: burst ?? Math.max(1, Math.floor(per_ms * 1000)) };
}

export function fullBucket({ burst }: RateLimit, now: number): Bucket {
  return { tokens: burst, at: now };
}

/** The bucket as it is now. A clock that went back brings nothing and takes nothing. */
export function filled(bucket: Bucket, { per_ms, burst }: RateLimit, now: number): Bucket {
  if (now <= bucket.at) return bucket;
  return { tokens: Math.min(burst, bucket.tokens + (now - bucket.at) * per_ms), at: now };
}

/** Engines whose clocks differ by more than this are told apart from clocks that were set. */
const SKEW_MS = 5000;

/** A clock that was set back must not keep everybody waiting until it is there again. */
export function steady({ tokens, at }: Bucket, now: number): Bucket {
  return at > now + SKEW_MS ? { tokens, at: now } : { tokens, at };
}

/** As it is at the least where all of it may have been taken until then. */
export function leastIn(bucket: Bucket, until: number): Bucket {
  return bucket.at >= until ? bucket : { tokens: 0, at: until };
}

/** Sums of many small times come out a little short: a token that is there but for this is there. */
const SHORT = 1e-6;

/** A burst that a second does not bring back: who forgot what was taken of it would give away much. */
export function isSlow({ per_ms, burst }: RateLimit): boolean {
  return burst > per_ms * 1000 + SHORT;
}

/** How many whole tokens there are. */
export function inBucket(bucket: Bucket, limit: RateLimit, now: number): number {
  return Math.floor(filled(bucket, limit, now).tokens + SHORT);
}

/** Takes as many as there are, up to `count`. */
export function takenFrom(
  bucket: Bucket,
  limit: RateLimit,
  { count, now }: { readonly count: number; readonly now: number },
): Taken {
  const now_in = filled(bucket, limit, now);
  const taken = Math.min(count, inBucket(bucket, limit, now));
  return { bucket: { tokens: Math.max(0, now_in.tokens - taken), at: now_in.at }, taken };
}

/** What is taken of a bucket, and what is put back into it. */
export type Want = {
  readonly count: number;
  /** Taken before and not used yet: with these it is never fuller than full. */
  readonly here: number;
  readonly back: number;
};

export type Taken = { readonly bucket: Bucket; readonly taken: number };

/** Puts back what was not used, and takes as many as there are then, up to `count`. */
export function exchanged(
  bucket: Bucket,
  limit: RateLimit,
  { count, here, back, now }: Want & { readonly now: number },
): Taken {
  const before = filled(bucket, limit, now);
  const tokens = Math.max(0, Math.min(before.tokens + back, limit.burst - here));
  return takenFrom({ ...before, tokens }, limit, { count, now });
}

/** Milliseconds until so many tokens are there; a bucket that never holds so many is waited for until it is full. */
export function dueIn(
  bucket: Bucket,
  limit: RateLimit,
  { count, now }: { count: number; now: number },
): number {
  const missing = Math.min(count, limit.burst) - filled(bucket, limit, now).tokens;
  return missing <= SHORT ? 0 : missing / limit.per_ms;
}
