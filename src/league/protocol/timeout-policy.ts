import { parseDuration } from '../../core/duration.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';

/** How long who is waited for, and how often. The file is `timeout_policy.yaml`. */
export type TimeoutPolicy = {
  readonly registration_ms: number;
  /** How long agents may register after the league was opened; null: until it is started. */
  readonly window_ms: number | null;
  readonly join_ms: number;
  readonly move_ms: number;
  readonly result_ms: number;
  /** How long the whole of a match may take before its referee is given up; null: join, result and 100 moves. */
  readonly match_ms: number | null;
  readonly attempts: number;
  readonly initial_delay_ms: number;
  readonly multiplier: number;
  readonly max_delay_ms: number;
};

export const defaultTimeouts: TimeoutPolicy = {
  registration_ms: 5000,
  window_ms: null,
  join_ms: 10_000,
  move_ms: 30_000,
  result_ms: 60_000,
  match_ms: null,
  attempts: 3,
  initial_delay_ms: 500,
  multiplier: 2,
  max_delay_ms: 10_000,
};

const durations = {
  registration: 'registration_ms',
  registration_window: 'window_ms',
  join: 'join_ms',
  move: 'move_ms',
  result: 'result_ms',
  match: 'match_ms',
  initial_delay: 'initial_delay_ms',
  max_delay: 'max_delay_ms',
} as const;
const numbers = ['attempts', 'multiplier'] as const;

/** What `timeout_policy.yaml` says, over the defaults; the keys may stand under `timeouts`. Bare numbers are seconds. */
export function readTimeoutPolicy(file: unknown): TimeoutPolicy {
  if (file === null || file === undefined) return defaultTimeouts;
  if (!isObject(file)) throw wrong('', 'the timeout policy is a map');
  const inner = file['timeouts'];
  const said = isObject(inner) && Object.keys(file).length === 1 ? inner : file;
  const policy: Record<string, number | null> = { ...defaultTimeouts };
  for (const [key, value] of Object.entries(said)) {
    if (Object.hasOwn(durations, key))
      policy[durations[key as keyof typeof durations]] = Math.round(durationOf(key, value) * 1000);
    else if (numbers.some((name) => name === key)) policy[key] = numberOf(key, value);
    else throw wrong(key, `there is no ${key}; there are ${known().join(', ')}`);
  }
  return policy as TimeoutPolicy;
}

function known(): string[] {
  return [...Object.keys(durations), ...numbers];
}

function durationOf(key: string, value: unknown): number {
  try {
    const seconds = parseDuration(value);
    if (seconds > 0) return seconds;
  } catch (thrown) {
    throw wrong(key, GleitzeitError.from(thrown).message);
  }
  throw wrong(key, 'it must be longer than nothing');
}

function numberOf(key: string, value: unknown): number {
  const whole = key !== 'attempts' || Number.isInteger(value);
  if (typeof value === 'number' && value >= 1 && value <= 100 && whole) return value;
  throw wrong(key, 'it must be a number from 1 to 100');
}

function wrong(key: string, reason: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `timeout_policy${key === '' ? '' : `.${key}`}: ${reason}`, {
    field: key,
    reason,
  });
}

/** How long to wait before the next attempt; `attempt` is the one that failed, from 1. */
export function delayAfter(policy: TimeoutPolicy, attempt: number): number {
  return Math.min(policy.max_delay_ms, policy.initial_delay_ms * policy.multiplier ** (attempt - 1));
}

/** How long a referee has for one match. */
export function matchPatience(policy: TimeoutPolicy): number {
  return policy.match_ms ?? policy.join_ms * policy.attempts + policy.result_ms + 100 * policy.move_ms;
}
