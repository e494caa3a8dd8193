import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Progress, ProviderCall } from '../../core/ports/provider.ts';
import type { KeptJob } from '../kept-job.ts';
import { mistake } from '../mapping/mistake.ts';
import { pointer } from '../mapping/pointer.ts';
import type { Scope } from '../mapping/template.ts';
import { timeoutMs } from '../timeout.ts';
import type { Got } from './answer.ts';
import type { MethodConfig, PollConfig } from './config.ts';
import { codeOf } from './errors.ts';
import { handleForm, type JobHandle } from './job-handle.ts';
import { questionOf, resultRequestOf } from './job-question.ts';
import { judgeOf } from './judge.ts';
import type { Fetch } from './pages.ts';
import type { Asked, RequestParts } from './request.ts';
import { Rhythm } from './rhythm.ts';

export type Poll = {
  /** From the answer that took the job to the one that has its result. `asked` is the request it was submitted with. */
  finish(job: Job, asked: Asked): Promise<Got>;
  /** The job that an earlier attempt left, as far as it was kept; null for none. */
  left(kept: JsonObject): JobHandle | null;
  /** Goes on with it; null where the service does not know it any more. */
  resume(job: Job, address: JobHandle['address']): Promise<Got | null>;
};

export type Job = {
  readonly submitted: Got;
  readonly scope: Scope;
  readonly call: Pick<ProviderCall, 'signal' | 'report'>;
  readonly fetch: Fetch;
  readonly timers: Timers;
  readonly kept: KeptJob;
};

const INTERVAL_MS = 1000;
const MAX_INTERVAL_MS = 30_000;
/** Questions in a row that may go wrong for a reason that may pass: the job goes on meanwhile, and is not to be begun anew. */
const PATIENCE = 5;

const passing = ['transport', 'server', 'timeout', 'rate_limit'];

/** Asks again and again until a job is done. Takes no longer than the task: its signal ends the waiting too. */
export function pollOf({ poll, result: shape }: PollMapping, at: string, parts: RequestParts): Poll {
  const question = questionOf(poll, at, parts);
  const isDone = doneJudge(poll, at);
  const failed = failureOf(poll.failed, child(at, 'failed'));
  const progress = progressOf(poll, at);
  const interval = timeoutMs(poll.interval ?? INTERVAL_MS / 1000, child(at, 'interval'));
  const longest = timeoutMs(poll.max_interval ?? MAX_INTERVAL_MS / 1000, child(at, 'max_interval'));
  const resultRequest = resultRequestOf(poll, at, parts);
  const handles = handleForm({ poll, result: shape, base: parts.base });
  const rhythmOf = ({ call, timers }: Job) =>
    new Rhythm({ first: interval, longest: Math.max(longest, interval), signal: call.signal, timers });

  const ended = (got: Got): boolean => {
    const failure = failed(got);
    if (failure !== null) throw failure;
    return isDone(got);
  };

  const result = async (job: Job, got: Got): Promise<Got> => {
    const asked = resultRequest?.(job, got);
    return asked === undefined ? got : insist(job, asked, rhythmOf(job));
  };

  async function untilDone(job: Job, asked: Asked, begun: Got): Promise<Got> {
    const rhythm = rhythmOf(job);
    for (let got = begun; ; ) {
      if (ended(got)) return result(job, got);
      progress(got.value, job.call);
      await rhythm.pause(got.retry_after_ms);
      got = await insist(job, asked, rhythm);
    }
  }

  async function finish(job: Job, asked: Asked): Promise<Got> {
    const { submitted, scope, kept } = job;
    if (ended(submitted)) return result(job, submitted);
    const asking = question.first(job, asked);
    await kept.keep(handles.write({ submitted, scope, question: asking }));
    return untilDone(job, asking, submitted);
  }

  async function resume(job: Job, address: JobHandle['address']): Promise<Got | null> {
    const asking = question.again(job, address);
    if (asking === null) return null;
    job.kept.resume();
    const now = await insist(job, asking, rhythmOf(job)).catch(unlessGone);
    return now === null ? null : untilDone(job, asking, now);
  }

  return { finish, resume, left: handles.read };
}

type PollMapping = { readonly poll: PollConfig; readonly result: MethodConfig['result'] };

/** The job goes on while its service cannot be asked, and is not to be begun anew for that. */
async function insist({ call, fetch, kept }: Job, asked: Asked, rhythm: Rhythm): Promise<Got> {
  for (let wrong = 1; ; wrong++) {
    try {
      const got = await fetch(asked);
      kept.reached();
      return got;
    } catch (thrown) {
      const error = GleitzeitError.from(thrown, 'GLZ2001');
      if (call.signal.aborted || !passing.includes(error.class)) throw error;
      if (wrong === PATIENCE) throw kept.outOfReach(error);
      await rhythm.pause(error.details.retry_after_ms);
    }
  }
}

/** A service that has lost a job, or thrown it away: it can only be begun anew. */
function unlessGone(thrown: unknown): null {
  const error = GleitzeitError.from(thrown);
  const { details } = error.details;
  if (
    error.class === 'rejected' &&
    isObject(details) &&
    [404, 410].includes(Number(own(details, 'http_status')))
  )
    return null;
  throw thrown;
}

function doneJudge({ until }: PollConfig, at: string): (got: Got) => boolean {
  const field = child(at, 'until');
  if (until.at === undefined && until.status === undefined)
    throw mistake(child(field, 'at'), 'is missing', 'it says where the answer tells that the job is done');
  const judge = judgeOf(until, field);
  return ({ status, value }) => judge(status, value);
}

function failureOf(config: PollConfig['failed'], at: string): (got: Got) => GleitzeitError | null {
  if (config === undefined) return () => null;
  const judge = judgeOf(config, at);
  const read = config.message === undefined ? null : pointer(config.message, child(at, 'message'));
  const code = codeOf(config.class ?? 'rejected');
  return ({ status, value }) => {
    if (!judge(status, value)) return null;
    const told = read?.(value);
    return new GleitzeitError(code, typeof told === 'string' && told !== '' ? told : 'the job failed', {
      reason: 'the service says that the job failed',
    });
  };
}

function progressOf(config: PollConfig, at: string) {
  const read = (key: 'progress' | 'total' | 'message') => {
    const place = config[key];
    return place === undefined ? null : pointer(place, child(at, key));
  };
  const [progress, total, message] = [read('progress'), read('total'), read('message')];
  return (value: Json, { report }: Job['call']): void => {
    if (report === undefined) return;
    const [done, of, words] = [progress?.(value), total?.(value), message?.(value)];
    const told: Progress = {
      ...(typeof done === 'number' ? { progress: done } : {}),
      ...(typeof of === 'number' ? { total: of } : {}),
      ...(typeof words === 'string' ? { message: words } : {}),
    };
    if (Object.keys(told).length > 0) report(told);
  };
}
