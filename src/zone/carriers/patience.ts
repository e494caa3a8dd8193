import type { Timers } from '../../core/ports/clock.ts';
import type { Random } from '../../core/ports/random.ts';
import { CarrierError } from '../carrier.ts';

/** How often a request is sent again that certainly did not arrive, and after which whiles. */
export type Retries = {
  readonly most: number;
  readonly first_ms: number;
  readonly longest_ms: number;
};

export const defaultRetries: Retries = { most: 5, first_ms: 200, longest_ms: 10_000 };

export type PatienceParts = {
  readonly retries: Retries;
  readonly timers: Timers;
  readonly random: Random;
};

/** Twice as long each time, and somewhere in the upper half of it, so that those who were refused together do not come together. */
export function waitBefore(again: number, { first_ms, longest_ms }: Retries, chance: number): number {
  const whole = Math.min(first_ms * 2 ** again, longest_ms);
  return whole / 2 + (whole / 2) * chance;
}

/** What a service asks for is waited for, and only what cannot have arrived is sent again here. */
export async function sendPatiently(
  { retries, timers, random }: PatienceParts,
  signal: AbortSignal,
  send: () => Promise<string>,
): Promise<string> {
  for (let again = 0; ; again++) {
    try {
      return await send();
    } catch (thrown) {
      if (!isWorthIt(thrown) || again >= retries.most) throw thrown;
      const own_ms = waitBefore(again, retries, random.next());
      const ms = Math.max(own_ms, Math.min(thrown.retry_after_ms ?? 0, retries.longest_ms));
      if (!(await pause(timers, ms, signal))) throw thrown;
    }
  }
}

function isWorthIt(thrown: unknown): thrown is CarrierError {
  return thrown instanceof CarrierError && thrown.arrived === 'no' && thrown.mayPass;
}

/** False where the signal ended it. */
function pause(timers: Timers, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stop = timers.after(ms, () => resolve(true));
  const end = () => resolve(false);
  signal.addEventListener('abort', end, { once: true });
  return promise.finally(() => {
    stop();
    signal.removeEventListener('abort', end);
  });
}
