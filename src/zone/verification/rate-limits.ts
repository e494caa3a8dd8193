import type { ChatRequest } from './request.ts';

/** So many requests in so long, and no more at once either. */
export type RateLimit = { readonly requests: number; readonly per_ms: number };

export type RateLimitOptions = {
  readonly per_user: RateLimit;
  readonly per_channel: RateLimit;
};

export type RateVerdict = 'allowed' | 'too_many' | 'channel_busy';

const channelKey = ({ team_id = '', channel }: ChatRequest) => `channel ${team_id} ${channel}`;
const userKey = ({ team_id = '', user_id = '' }: ChatRequest) => `user ${team_id} ${user_id}`;

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
  take(request: ChatRequest, now: number): RateVerdict {
    const { per_user, per_channel } = this.#options;
    const user = this.#next(userKey(request), now, per_user);
    if (user === null) return 'too_many';
    const channel = this.#next(channelKey(request), now, per_channel);
    if (channel === null) return 'channel_busy';
    this.#put(userKey(request), user);
    this.#put(channelKey(request), channel);
    this.#forget(now);
    return 'allowed';
  }

  /** As if it had never been asked: it was no new request, or could not be taken. */
  giveBack(request: ChatRequest): void {
    const { per_user, per_channel } = this.#options;
    this.#earlier(userKey(request), per_user);
    this.#earlier(channelKey(request), per_channel);
  }

  /** Whether somebody is to be told that this is not answered: once in a while, not each time. */
  tells(request: ChatRequest, now: number): boolean {
    const key = `told ${channelKey(request)} ${userKey(request)}`;
    const due = this.#next(key, now, { requests: 1, per_ms: this.#options.per_user.per_ms });
    if (due === null) return false;
    this.#put(key, due);
    this.#forget(now);
    return true;
  }

  #next(key: string, now: number, limit: RateLimit): number | null {
    return nextDue(this.#due.get(key) ?? now, now, limit);
  }

  #earlier(key: string, { requests, per_ms }: RateLimit): void {
    const due = this.#due.get(key);
    if (due !== undefined) this.#due.set(key, due - per_ms / requests);
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
