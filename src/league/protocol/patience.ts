import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { AgentAnswer, AgentLines, AskOptions, OutgoingQuestion } from './ask.ts';
import type { RequestType } from './messages.ts';
import { delayAfter, type TimeoutPolicy } from './timeout-policy.ts';

export type PatienceParts = {
  readonly lines: Pick<AgentLines, 'ask'>;
  readonly timers: Timers;
  readonly policy: TimeoutPolicy;
  /** Hears of each attempt that came to nothing. */
  readonly failed?: (error: GleitzeitError, attempt: number) => void;
};

/**
 * Asks as often as the policy says, under the same id, with growing pauses, while no answer comes. A refusal is an answer.
 * Rejects with what the last attempt came to, or at once when the signal ends it.
 */
export async function askPatiently<Type extends RequestType>(
  { lines, timers, policy, failed }: PatienceParts,
  to: { readonly endpoint_url: string; readonly question: OutgoingQuestion<Type> },
  options: AskOptions,
): Promise<AgentAnswer<Type>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await lines.ask(to.endpoint_url, to.question, options);
    } catch (thrown) {
      const error = GleitzeitError.from(thrown, 'GLZ2002');
      failed?.(error, attempt);
      if (attempt >= policy.attempts || options.signal?.aborted === true) throw error;
    }
    await pause(timers, delayAfter(policy, attempt), options.signal);
  }
}

/** Ends early with the signal. */
export function pause(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal?.aborted === true) return Promise.resolve();
  const over = () => {
    cancel();
    signal?.removeEventListener('abort', over);
    resolve();
  };
  const cancel = timers.after(ms, over);
  signal?.addEventListener('abort', over);
  return promise;
}
