import type { ChatRequest } from './request.ts';

/** So many requests in so long, and no more at once either. */
export type RateLimit = { readonly requests: number; readonly per_ms: number };

export type RateLimitOptions = {
  readonly per_user: RateLimit;
  readonly per_channel: RateLimit;
};

export type RateVerdict = 'allowed' | 'too_many' | 'channel_busy';

/** So many users and channels are remembered; of more, those that asked the longest ago are forgotten. */
const MOST_KEYS = 100_000;

/**
 * When a request of a key is due that keeps to its rate exactly. Null: one that comes now is over the limit. A key whose
 * time has passed is as good as new.
 */
export function nextDue(due: number, now: number, { requests, per_ms }: RateLimit): number | null {
  const interval = per_ms / requests;
  const from = Math.max(due, now);
  // The slack keeps a sum of fractions from costing the last request of a full measure.
  return from - now <= per_ms - interval + 1e-6 ? from + interval : null;
}

/** How fast each user may ask, and how much is asked in each channel. Counts only what both let pass. */
export class RateLimits {
  readonly #options: RateLimitOptions;
  readonly #due = new Map<string, number>();

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  /** `now`: milliseconds of a clock that only goes forward. */
  take({ team_id = '', user_id, channel }: ChatRequest, now: number): RateVerdict {
    const { per_user, per_channel } = this.#options;
    const keys = [`channel ${team_id} ${channel}`, `user ${team_id} ${user_id}`] as const;
    const user = user_id === undefined ? 0 : nextDue(this.#due.get(keys[1]) ?? now, now, per_user);
    if (user === null) return 'too_many';
    const whole = nextDue(this.#due.get(keys[0]) ?? now, now, per_channel);
    if (whole === null) return 'channel_busy';
    this.#put(keys[0], whole);
    if (user_id !== undefined) this.#put(keys[1], user);
    this.#forget(now);
    return 'allowed';
  }

  get size(): number {
    return this.#due.size;
  }

  /** At its end: whoever asked the longest ago stands first. */
  #put(key: string, due: number): void {
    this.#due.delete(key);
    this.#due.set(key, due);
  }

  #forget(now: number): void {
    for (const [key, due] of this.#due) {
      if (due > now && this.#due.size <= MOST_KEYS) return;
      this.#due.delete(key);
    }
  }
}
