import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Ended, Held } from './held.ts';

/** What a provider finds as the reason of its AbortSignal. */
export const taken = new GleitzeitError(
  'GLZ3011',
  'the task was taken from this engine, which was given up for dead',
);
export const cancelled = new GleitzeitError('GLZ2009', 'the task was cancelled');
export const paused = new GleitzeitError('GLZ3011', 'its run was paused before the call was on record');
export const stopping = new GleitzeitError('GLZ9002', 'the engine stops');

/** A call that we ended in order to stop failed by no fault of its own. */
export function ownAnswer({ end }: Held, { answer }: Ended): Answer {
  return end.reason === stopping && answer.word === 'failed' ? { word: 'withdrawn' } : answer;
}
