import type { Answer } from '../answer.ts';
import { classOf, type ErrorRecord } from '../errors.ts';
import { MAX_WAIT_MS } from '../limits.ts';
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

/** How long a call had, and how long answers to its method usually take; null where none is known. */
export type CallTime = {
  readonly ms: number;
  /** With this provider. */
  readonly own_ms: () => number | null;
  /** With the quickest of its pool. */
  readonly usual_ms: () => number | null;
};

/** The times that a task sets: how short they are says nothing of the service. */
const ofTask: readonly unknown[] = ['timeout', 'total_timeout'];

/** Several times what a call takes: whoever has not answered by then would not have done so in what was left either. */
const SEVERAL = 3;
/** Less is a moment, however quick the others are. */
const LEAST_MS = 100;
/** Enough for a service of which nothing is known. */
const FAIR_MS = 1000;
/** Half of what a call may take unless somebody says otherwise: of a slow service nobody waits for several times more. */
const LONG_MS = 15_000;
const LONGER = 1.5;

const nothing: Heard = { verdict: 'nothing', answered: false, slow: false, pause_ms: 0, lacks: false };
const unknown: CallTime = { ms: 0, own_ms: () => null, usual_ms: () => null };

export function judge(answer: Answer, time: CallTime = unknown): Heard {
  if (answer.word === 'withdrawn') return nothing;
  if (answer.word !== 'failed') return { ...nothing, verdict: 'well', answered: answer.word === 'done' };
  const { error } = answer;
  const { fault } = error.data;
  const asked = askedMs(error);
  switch (classOf(error)) {
    case 'timeout':
      return tooLate(error, time);
    case 'transport':
    case 'server':
    case 'interrupted':
      return { ...nothing, verdict: 'failed', pause_ms: asked ?? 0 };
    case 'rate_limit':
      return { ...nothing, pause_ms: asked };
    case 'rejected':
      if (fault === 'provider') return { ...nothing, verdict: 'failed', pause_ms: asked ?? 0 };
      return { ...nothing, verdict: 'well', lacks: fault === 'method' };
    default:
      return nothing;
  }
}

/** "At once" is no time, of one that has just turned a call away; nor is what no clock could show. */
function askedMs({ data: { retry_after_ms = 0 } }: ErrorRecord): number | null {
  return retry_after_ms > 0 && retry_after_ms <= MAX_WAIT_MS ? retry_after_ms : null;
}

/** Where it was the task whose time was up, the service may have had no more than a moment. */
function tooLate({ data: { field } }: ErrorRecord, { ms, own_ms, usual_ms }: CallTime): Heard {
  const quickest = usual_ms();
  if (!ofTask.includes(field)) return { ...nothing, verdict: 'failed', slow: ms >= (quickest ?? 0) };
  const failed = ms >= enough(own_ms() ?? quickest);
  return {
    ...nothing,
    verdict: failed ? 'failed' : 'nothing',
    slow: failed || (quickest !== null && ms >= quickest),
  };
}

/** So much time is enough for a call that usually takes so long. */
function enough(usual: number | null): number {
  if (usual === null) return FAIR_MS;
  return Math.max(LEAST_MS, Math.min(SEVERAL * usual, Math.max(LONG_MS, LONGER * usual)));
}
