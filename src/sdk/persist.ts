import { pause } from './limited.ts';
import { type Known, type Patience, pauseBefore } from './reconnect.ts';

export type Persistence = {
  readonly patience: Patience;
  readonly known: Known;
  readonly mayRepeat: (error: unknown) => boolean;
  readonly signal: AbortSignal;
};

/** Tries until it works, with growing pauses; the last error is what it rejects with. */
export async function persist<Result>(
  { patience, known, mayRepeat, signal }: Persistence,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const began = Date.now();
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayRepeat(error)) throw error;
      const trouble = { failures, since_ms: Date.now() - began, reached: known.reached };
      const ms = pauseBefore(patience, trouble, Math.random());
      if (ms === null) throw error;
      await pause(ms, signal);
    }
  }
}
