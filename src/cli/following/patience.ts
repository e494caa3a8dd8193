import { setTimeout as sleep } from 'node:timers/promises';
import { tooLate } from '../connect.ts';
import type { Interrupts } from './interrupts.ts';

/** How long somebody waits: until Ctrl-C, and as long as `--timeout` says from the beginning of the command on. */
export type Patience = {
  /** Undefined where there is no limit. */
  left_ms(): number | undefined;
  /** Null where somebody interrupted it; rejects when the time is over. */
  waitFor<Value>(work: Promise<Value>): Promise<{ readonly value: Value } | null>;
};

export type PatienceParts = {
  readonly interrupts: Interrupts;
  readonly limit_ms: number | undefined;
  /** When the command began, by performance.now(). */
  readonly began: number;
};

export function createPatience({ interrupts, limit_ms, began }: PatienceParts): Patience {
  const left_ms = () =>
    limit_ms === undefined ? undefined : Math.max(0, limit_ms - (performance.now() - began));
  const timeUp = async (signal: AbortSignal): Promise<never> => {
    const ms = left_ms();
    if (ms === undefined) return new Promise(() => {});
    await sleep(ms, null, { signal });
    throw tooLate(limit_ms ?? 0);
  };
  return {
    left_ms,
    waitFor: async (work) => {
      const enough = new AbortController();
      const late = timeUp(enough.signal);
      const interrupted = interrupts.next(enough.signal).then(() => null);
      // Whichever comes second still ends, and nobody is there to hear how.
      for (const one of [work, late]) one.catch(() => {});
      try {
        return await Promise.race([work.then((value) => ({ value })), late, interrupted]);
      } finally {
        enough.abort();
      }
    },
  };
}
