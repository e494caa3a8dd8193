import { MAX_WAIT_MS } from '../api/shapes/basic.ts';
import { parseDuration } from '../core/duration.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Call } from './handlers.ts';

/** What a caller wrote as `wait`. */
export type Wait = number | string | undefined;

/**
 * Waits until its caller is gone or we are, and lets other calls of the same connection be heard meanwhile. What does
 * not wait needs none of that.
 */
export function waiting<Result>(
  wait: Wait,
  { connection, signal }: Call,
  stopping: AbortSignal,
  result: (ms: number, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ms = millisecondsOf(wait);
  if (ms <= 0) return result(0, signal);
  const { aside = (run) => run() } = connection;
  return aside(() => result(ms, AbortSignal.any([signal, stopping])));
}

/** A number is held to its bounds by the schema. */
function millisecondsOf(wait: Wait = 0): number {
  if (typeof wait === 'number') return wait;
  const ms = Math.round(secondsIn(wait) * 1000);
  if (ms <= MAX_WAIT_MS) return ms;
  throw refused('must be at most 1 minute');
}

function secondsIn(wait: string): number {
  try {
    return parseDuration(wait);
  } catch (thrown) {
    throw refused(GleitzeitError.from(thrown).message);
  }
}

function refused(reason: string): GleitzeitError {
  const hint = 'write a number of milliseconds, or text with a unit: 5s, 250ms, 1m';
  return new GleitzeitError('GLZ1012', `wait: ${reason}`, { field: 'wait', reason, hint });
}
