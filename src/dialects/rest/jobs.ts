import type { Answer } from '../../core/answer.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { KeptJob } from '../kept-job.ts';
import type { Scope } from '../mapping/template.ts';
import { reportWithout } from '../quiet-report.ts';
import type { Got } from './answer.ts';
import type { Fetch } from './pages.ts';
import type { Job, Poll } from './poll.ts';
import type { Asked } from './request.ts';

type Taken = Pick<Job, 'submitted' | 'scope'>;

/** What a service does after it has answered: asked for by this attempt, or by the next where this one is cut short. */
export type Jobs = {
  finish(taken: Taken, asked: Asked): Promise<Answer>;
  /** Null where there is nothing to go on with. */
  resume(begun: Scope): Promise<Answer | null>;
};

export type JobsParts = {
  readonly poll: Poll;
  readonly fetch: Fetch;
  readonly timers: Timers;
  readonly secrets: () => readonly string[];
  readonly answer: (got: Got, taken: Taken) => Answer;
};

export function createJobs(call: ProviderCall, { poll, fetch, timers, secrets, answer }: JobsParts): Jobs {
  const { signal } = call;
  const report = call.report === undefined ? undefined : reportWithout(call.report, secrets);
  const kept = new KeptJob(call, secrets);
  const around = { call: { signal, report }, fetch, timers, kept };

  /** A job is not begun anew because its service cannot be asked for a while. */
  async function orLater<Answered extends Answer | null>(
    answered: () => Promise<Answered>,
  ): Promise<Answered | Answer> {
    try {
      return await answered();
    } catch (thrown) {
      const later = signal.aborted ? null : await kept.later(GleitzeitError.from(thrown));
      if (later !== null) return later;
      throw thrown;
    }
  }

  return {
    finish: (taken, asked) =>
      orLater(async () => answer(await poll.finish({ ...taken, ...around }, asked), taken)),
    resume: async (begun) => {
      const left = kept.left === null ? null : poll.left(kept.left);
      if (left === null) return null;
      const { before, submitted, address } = left;
      const taken = { submitted, scope: before === undefined ? begun : { ...begun, before } };
      return orLater(async () => {
        const got = await poll.resume({ ...taken, ...around }, address);
        return got === null ? null : answer(got, taken);
      });
    },
  };
}
