import type { ErrorClass } from './error-codes.ts';
import { classOf, type ErrorRecord, isRefusedHere } from './errors.ts';
import { MAX_WAIT_MS } from './limits.ts';

/** Times in seconds, as workflows write them. */
export type RetryConfig = {
  readonly max_attempts: number;
  readonly backoff: 'fixed' | 'linear' | 'exponential';
  readonly initial_delay: number;
  readonly multiplier: number;
  readonly max_delay: number;
  /** The share of a delay that is left to chance: 0 none, 1 all of it. */
  readonly jitter: number;
  /** No attempt starts later than this after the first one did; null for no budget. */
  readonly max_total: number | null;
  readonly retry_on: readonly ErrorClass[];
};

export const defaultRetry: RetryConfig = {
  max_attempts: 3,
  backoff: 'exponential',
  initial_delay: 1,
  multiplier: 2,
  max_delay: 60,
  jitter: 0.5,
  max_total: null,
  retry_on: ['transport', 'timeout', 'rate_limit', 'server', 'interrupted'],
};

export type AttemptEnd = {
  readonly attempt: number;
  /** When the first attempt started, by the store's clock. */
  readonly first_started_at: number;
  readonly now: number;
  readonly error: ErrorRecord;
  /** A number in [0, 1) drawn by whoever asks: the decision itself is pure. */
  readonly chance: number;
};

export type RetryDecision =
  /** `counts`: whether the attempt is one of `max_attempts`. */
  | { readonly retry: true; readonly at: number; readonly counts: boolean }
  | { readonly retry: false; readonly why: 'not_retryable' | 'attempts_used_up' | 'budget_used_up' };

/** Whether an attempt that failed is followed by another, and when. */
export function decideRetry(config: RetryConfig, end: AttemptEnd): RetryDecision {
  const refused = isRefusedHere(end.error) && config.retry_on.length > 0;
  if (!refused && !config.retry_on.includes(classOf(end.error)))
    return { retry: false, why: 'not_retryable' };
  // It began with nobody: who does not have the method has not tried it, and no provider is asked twice so.
  const counts = !(refused && end.error.data.fault === 'method');
  if (counts && end.attempt >= config.max_attempts) return { retry: false, why: 'attempts_used_up' };
  // Whoever is asked next has not failed: there is nothing to wait for.
  const at = end.now + (refused ? 0 : delayBefore(config, end));
  if (config.max_total !== null && at > end.first_started_at + config.max_total * 1000) {
    return { retry: false, why: 'budget_used_up' };
  }
  return { retry: true, at, counts };
}

/**
 * Milliseconds to wait: our own arithmetic, and never less than the service asked for (Retry-After). It did so for itself: where another takes
 * the call, it is left alone all the same.
 */
function delayBefore(config: RetryConfig, end: AttemptEnd): number {
  const full = Math.min(growth(config, end.attempt) * config.initial_delay, config.max_delay) * 1000;
  const own = Math.round(full * (1 - config.jitter * end.chance));
  const { elsewhere, retry_after_ms = 0 } = end.error.data;
  return elsewhere === true ? own : Math.max(own, waitFor(retry_after_ms));
}

/** Whole milliseconds that every store can add to its clock, whatever was asked for. */
export function waitFor(ms: number): number {
  return Math.min(MAX_WAIT_MS, Math.max(0, Math.ceil(ms) || 0));
}

function growth(config: RetryConfig, attempt: number): number {
  if (config.backoff === 'fixed') return 1;
  if (config.backoff === 'linear') return attempt;
  // Every cap is long reached by then; an infinite factor would make 0 × ∞ of a delay of nothing.
  return Math.min(config.multiplier ** (attempt - 1), Number.MAX_SAFE_INTEGER);
}
