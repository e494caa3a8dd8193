import type { Answer } from '../core/answer.ts';
import { classOf, type ErrorRecord } from '../core/errors.ts';
import type { Passage } from '../core/ports/router.ts';

/**
 * An error that is final with one provider, and says more of the provider than of the call, is marked where another could take the same
 * call: that is why it is tried again. Nobody else may say so.
 */
export function sentElsewhere(answer: Answer, passage: Pick<Passage, 'others'> | null): Answer {
  if (answer.word !== 'failed') return answer;
  const { error } = answer;
  const { elsewhere, ...data } = error.data;
  if (isOfProvider(error) && passage?.others?.() === true)
    return { word: 'failed', error: { ...error, data: { ...data, elsewhere: true } } };
  return elsewhere === undefined ? answer : { word: 'failed', error: { ...error, data } };
}

function isOfProvider(error: ErrorRecord): boolean {
  return error.data.fault !== undefined && classOf(error) === 'rejected';
}
