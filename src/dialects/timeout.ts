import { parseDuration } from '../core/duration.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Timers } from '../core/ports/clock.ts';
import { Type } from '../type.ts';

/** A number of seconds, or text with a unit. */
export const Timeout = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  'x-unit': 'duration',
  minimum: 0.001,
  maximum: 86_400,
  description: 'how long an answer may take, where that is less than the task would wait',
});

/** Ends calls earlier than their tasks would. */
export type Limit = { readonly ms: number; readonly timers: Timers };

export function limitOf(timeout: number | string | undefined, timers: Timers, field: string): Limit | null {
  return timeout === undefined ? null : { ms: timeoutMs(timeout, field), timers };
}

/** A duration of a configuration in milliseconds. Throws GLZ1012 for one that is none. */
export function timeoutMs(timeout: number | string, field: string): number {
  try {
    const seconds = parseDuration(timeout);
    if (seconds > 0) return seconds * 1000;
  } catch (thrown) {
    const { message, details } = GleitzeitError.from(thrown);
    throw new GleitzeitError('GLZ1012', `${field}: ${message}`, { ...details, field });
  }
  throw new GleitzeitError('GLZ1012', `${field}: must be more than nothing`, { field });
}

export function tookTooLong(ms: number): GleitzeitError {
  return new GleitzeitError('GLZ2003', `no answer within ${ms / 1000} s, the timeout of the provider`, {
    hint: 'raise the timeout of the provider if the service needs longer',
  });
}

/** What is made ends with the limit, or with the signal outside, whichever comes first. */
export async function within<Made>(
  { ms, timers }: Limit,
  outer: AbortSignal,
  made: (signal: AbortSignal) => Promise<Made>,
): Promise<Made> {
  const controller = new AbortController();
  const forward = () => controller.abort(outer.reason);
  if (outer.aborted) forward();
  outer.addEventListener('abort', forward);
  const cancel = timers.after(ms, () => controller.abort(tookTooLong(ms)));
  try {
    return await made(controller.signal);
  } finally {
    cancel();
    outer.removeEventListener('abort', forward);
  }
}
