import type { Answer } from '../core/answer.ts';
import { classOf, type ErrorDetails, type ErrorRecord } from '../core/errors.ts';
import type { Passage } from '../core/ports/router.ts';

/**
 * An error that is final with one provider, and says more of the provider than of the call, is marked where another could take the same
 * call: that is why it is tried again. Where several were called, those are named that failed besides, so that it is tried with none of
 * them. Nobody else may say so.
 */
export function sentElsewhere(answer: Answer, passage: Pick<Passage, 'others' | 'failed'> | null): Answer {
  if (answer.word !== 'failed') return answer;
  const { error } = answer;
  const { elsewhere, also_failed, ...data } = error.data;
  const marks = marksOf(error, passage);
  if (elsewhere === undefined && also_failed === undefined && Object.keys(marks).length === 0) return answer;
  return { word: 'failed', error: { ...error, data: { ...data, ...marks } } };
}

function marksOf(
  error: ErrorRecord,
  passage: Pick<Passage, 'others' | 'failed'> | null,
): Pick<ErrorDetails, 'elsewhere' | 'also_failed'> {
  const also = passage?.failed?.() ?? [];
  return {
    ...(isOfProvider(error) && passage?.others?.() === true ? { elsewhere: true } : {}),
    ...(also.length === 0 ? {} : { also_failed: also }),
  };
}

function isOfProvider(error: ErrorRecord): boolean {
  return error.data.fault !== undefined && classOf(error) === 'rejected';
}
