import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import { patiently } from './patiently.ts';

export type Within = {
  readonly ms: number;
  /** What was not done in time; " within 3 s" follows. */
  readonly late: string;
  readonly hint?: string;
  /** Ends it as well. */
  readonly outer?: AbortSignal;
};

/** What must not be waited for any longer than `ms`, whether or not it heeds the signal it is handed. */
export async function within<Made>(
  timers: Timers,
  { ms, late, hint, outer }: Within,
  make: (signal: AbortSignal) => Promise<Made>,
): Promise<Made> {
  const end = new AbortController();
  const cancel = timers.after(ms, () => {
    const details = hint === undefined ? {} : { hint };
    end.abort(new GleitzeitError('GLZ2003', `${late} within ${ms / 1000} s`, details));
  });
  const signal = outer === undefined ? end.signal : AbortSignal.any([end.signal, outer]);
  try {
    return await patiently(make(signal), signal);
  } finally {
    cancel();
  }
}
