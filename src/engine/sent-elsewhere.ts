import type { Answer } from '../core/answer.ts';
import { classOf, type ErrorRecord } from '../core/errors.ts';
import { judge } from '../core/pool/verdict.ts';
import type { Passage } from '../core/ports/router.ts';

/**
 * An error is marked where another provider could take the same call: one that is final with its provider, and says more of the provider than
 * of the call, is tried again for that reason; for one whose provider asked to be left alone, the task need not wait until that is over.
 * Nobody else may say so.
 */
export function sentElsewhere(answer: Answer, passage: Pick<Passage, 'others'> | null): Answer {
  if (answer.word !== 'failed') return answer;
  const { error } = answer;
  const { elsewhere, ...data } = error.data;
  if ((isOfProvider(error) || asksToBeLeft(answer)) && passage?.others?.() === true)
    return { word: 'failed', error: { ...error, data: { ...data, elsewhere: true } } };
  return elsewhere === undefined ? answer : { word: 'failed', error: { ...error, data } };
}

function isOfProvider(error: ErrorRecord): boolean {
  return error.data.fault !== undefined && classOf(error) === 'rejected';
}

function asksToBeLeft(answer: Answer): boolean {
  return (judge(answer).pause_ms ?? 0) > 0;
}
