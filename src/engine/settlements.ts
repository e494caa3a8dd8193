import type { Timers } from '../core/ports/clock.ts';
import { Recent } from '../core/recent.ts';
import { UNREADABLE_MS } from './unreadable.ts';

const KEPT = { most: 8192, characters: 16 * 1024 * 1024 };

export type SettlementParts<State> = {
  readonly timers: Timers;
  /** What the store knows; null when there is no such thing. */
  readonly read: (key: string) => Promise<State | null>;
  readonly isSettled: (state: State) => boolean;
  /** Settled for good, so that it may be remembered: what failed may be reopened, through any engine. */
  readonly isFinal: (state: State) => boolean;
  readonly sizeOf: (state: State) => number;
};

/**
 * Whoever waits for something to settle is told by the commit that settled it, and does not hang on the event feed.
 * The newest final states stay at hand, so that a caller who asks right after needs no read.
 */
export class Settlements<State> {
  readonly #parts: SettlementParts<State>;
  readonly #waiting = new Map<string, Set<(state: State | null) => void>>();
  readonly #kept = new Recent<State>(KEPT);
  /** Accepted here and not seen to settle: asking the store would tell nothing new. */
  readonly #open = new Recent<true>(KEPT);
  /** What could not be read although somebody waits for it; takes the next try back. */
  readonly #unread = new Map<string, () => void>();

  constructor(parts: SettlementParts<State>) {
    this.#parts = parts;
  }

  accepted(key: string): void {
    this.#open.set(key, true);
  }

  record(key: string, state: State): void {
    this.#open.delete(key);
    if (this.#parts.isFinal(state)) this.#kept.set(key, state, this.#parts.sizeOf(state));
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    this.#waiting.delete(key);
    for (const tell of waiting) tell(state);
  }

  /** It settled, but how is known only to the store. */
  settled(key: string): void {
    this.#open.delete(key);
    if (this.#waiting.has(key)) void this.check(key);
  }

  /** Something may have settled without our knowing: look again for everyone who waits. */
  checkAll(): void {
    this.#open.clear();
    for (const key of this.#waiting.keys()) void this.check(key);
  }

  async check(key: string): Promise<void> {
    try {
      const state = await this.#parts.read(key);
      if (state !== null && this.#parts.isSettled(state)) this.record(key, state);
    } catch {
      this.#checkLater(key);
    }
  }

  /** Nothing more will be told: whoever waits gets the state as it is. */
  release(): void {
    for (const cancel of this.#unread.values()) cancel();
    for (const waiting of this.#waiting.values()) for (const tell of waiting) tell(null);
  }

  /** The state once it has settled, or as it is when `ms` have passed or whoever asks is gone. */
  async wait(key: string, ms: number, signal?: AbortSignal): Promise<State | null> {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    if (ms <= 0 || signal?.aborted === true) return this.#parts.read(key);
    // Listening starts before the store is asked: what settles in between is heard.
    const { promise, resolve } = Promise.withResolvers<State | null>();
    this.#listen(key, resolve);
    const leave = () => resolve(null);
    const cancel = Number.isFinite(ms) ? this.#parts.timers.after(ms, leave) : () => {};
    signal?.addEventListener('abort', leave);
    try {
      if (this.#open.get(key) === undefined) {
        const state = await this.#parts.read(key);
        if (state === null || this.#parts.isSettled(state)) return state;
      }
      return (await promise) ?? (await this.#parts.read(key));
    } finally {
      cancel();
      signal?.removeEventListener('abort', leave);
      this.#stopListening(key, resolve);
    }
  }

  /** The commit that settled it speaks only once: without another look its waiters would never hear of it. */
  #checkLater(key: string): void {
    if (!this.#waiting.has(key) || this.#unread.has(key)) return;
    const again = () => {
      this.#unread.delete(key);
      if (this.#waiting.has(key)) void this.check(key);
    };
    this.#unread.set(key, this.#parts.timers.after(UNREADABLE_MS, again));
  }

  #listen(key: string, resolve: (state: State | null) => void): void {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, new Set([resolve]));
    else waiting.add(resolve);
  }

  #stopListening(key: string, resolve: (state: State | null) => void): void {
    const waiting = this.#waiting.get(key);
    waiting?.delete(resolve);
    if (waiting?.size === 0) this.#waiting.delete(key);
    if (this.#waiting.has(key)) return;
    this.#unread.get(key)?.();
    this.#unread.delete(key);
  }
}
