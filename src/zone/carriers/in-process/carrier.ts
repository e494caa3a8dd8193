import { bytesOf } from '../../../rpc/guard.ts';
import type { Carrier, Endpoint } from '../../carrier.ts';
import { aborted, closed, requireSize } from '../trouble.ts';

const NAME = 'in-process';

export type InProcessCarrierOptions = {
  readonly endpoint: Endpoint;
  readonly max_bytes?: number;
};

/** Both zones in one process, in the same texts as over a wire: nothing is shared by reference. */
export function inProcessCarrier({
  endpoint,
  max_bytes = 32 * 1024 * 1024,
}: InProcessCarrierOptions): Carrier {
  const ending = new AbortController();
  return {
    name: NAME,
    send: (body, { signal }) =>
      new Promise((resolve, reject) => {
        if (ending.signal.aborted) return reject(closed(NAME, 'no'));
        if (signal.aborted) return reject(aborted(NAME, 'no'));
        requireSize(NAME, body, max_bytes);
        const either = AbortSignal.any([signal, ending.signal]);
        const give = () => reject(ending.signal.aborted ? closed(NAME, 'maybe') : aborted(NAME, 'maybe'));
        either.addEventListener('abort', give, { once: true });
        void endpoint(bytesOf(body), { signal: either })
          .then(resolve, reject)
          .finally(() => either.removeEventListener('abort', give));
      }),
    close: async () => ending.abort(),
  };
}
