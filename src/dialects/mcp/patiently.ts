import { givenUp } from '../../rpc/correlate.ts';

/** Waits for what others wait for too: whoever gives up stops waiting, and the rest goes on. */
export function patiently<Value>(shared: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(givenUp(signal));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
