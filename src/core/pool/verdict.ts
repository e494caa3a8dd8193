import type { Answer } from '../answer.ts';
import { classOf, type ErrorRecord } from '../errors.ts';
import type { Verdict } from './breaker.ts';

/** What an answer says of the service that gave it. */
export type Heard = {
  readonly verdict: Verdict;
  /** It did what the method does: how long that took is how quick it is. Errors come quickly from whoever does nothing. */
  readonly answered: boolean;
  /** It took too long, which says how slow it is even without an answer. */
  readonly slow: boolean;
  /** It asked to be left alone for so long; null where it did so without a word about how long. */
  readonly pause_ms: number | null;
  /** It said that it does not have the method. */
  readonly lacks: boolean;
};

/** How long a call had, and how long answers to its method usually take in the pool; null where none is known. */
export type CallTime = { readonly ms: number; readonly usual_ms: () => number | null };

/** Many times what a call takes: whoever has not answered by then would not have done so in what was left either. */
const MANY_TIMES = 5;
/** Less is a moment, however quick the others are. */
const LEAST_MS = 100;

const nothing: Heard = { verdict: 'nothing', answered: false, slow: false, pause_ms: 0, lacks: false };
const unknown: CallTime = { ms: 0, usual_ms: () => null };

export function judge(answer: Answer, time: CallTime = unknown): Heard {
  if (answer.word === 'withdrawn') return nothing;
  if (answer.word !== 'failed') return { ...nothing, verdict: 'well', answered: answer.word === 'done' };
  const { error } = answer;
  const { retry_after_ms, fault } = error.data;
  switch (classOf(error)) {
    case 'timeout':
      return tooLate(error, time);
    case 'transport':
    case 'server':
    case 'interrupted':
      return { ...nothing, verdict: 'failed', pause_ms: retry_after_ms ?? 0 };
    case 'rate_limit':
      return { ...nothing, pause_ms: retry_after_ms ?? null };
    case 'rejected':
      if (fault === 'provider') return { ...nothing, verdict: 'failed', pause_ms: retry_after_ms ?? 0 };
      return { ...nothing, verdict: 'well', lacks: fault === 'method' };
    default:
      return nothing;
  }
}

/** Where the time of the whole task was up, the service may have had no more than a moment of it. */
function tooLate({ data: { field, fault } }: ErrorRecord, { ms, usual_ms }: CallTime): Heard {
  const usual = usual_ms();
  if (field !== 'total_timeout') return { ...nothing, verdict: 'failed', slow: ms >= (usual ?? 0) };
  const failed = fault === 'provider' || (usual !== null && ms >= Math.max(LEAST_MS, MANY_TIMES * usual));
  return {
    ...nothing,
    verdict: failed ? 'failed' : 'nothing',
    slow: failed || (usual !== null && ms >= usual),
  };
}
