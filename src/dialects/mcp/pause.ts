import type { Timers } from '../../core/ports/clock.ts';
import { givenUp } from '../../rpc/correlate.ts';

/** Waits, unless the signal comes first: then it rejects with its reason. */
export function pause(ms: number, signal: AbortSignal, timers: Timers): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(givenUp(signal));
    const stop = () => {
      cancel();
      reject(givenUp(signal));
    };
    const cancel = timers.after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
