import type { Timers } from '../../core/ports/clock.ts';

/** Resolves after so long, or rejects with the reason of the signal. */
export function pause(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = timers.after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** A signal that aborts after so long, and what takes the timer back. */
export function alarm(
  timers: Timers,
  ms: number,
): { readonly signal: AbortSignal; readonly off: () => void } {
  const controller = new AbortController();
  const end = () => controller.abort(new Error('its time is up'));
  if (ms <= 0) end();
  const off = timers.after(Math.max(0, ms), end);
  return { signal: controller.signal, off };
}

/**
 * What somebody promises, or the reason of the signal where that is first: not everybody heeds signals. Who does has a
 * while to say what it was waiting for.
 */
export async function orAborted<Value>(
  promised: Value | PromiseLike<Value>,
  signal: AbortSignal,
  grace: { readonly timers: Timers; readonly ms: number } | null = null,
): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  let cancel = () => {};
  const give_up = () => aborted.reject(signal.reason);
  const abort = () => {
    if (grace === null) give_up();
    else cancel = grace.timers.after(grace.ms, give_up);
  };
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promised, aborted.promise]);
  } finally {
    cancel();
    signal.removeEventListener('abort', abort);
  }
}
