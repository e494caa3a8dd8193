import type { Answer } from '../core/answer.ts';
import { classOf, type ErrorDetails, type ErrorRecord } from '../core/errors.ts';
import { judge } from '../core/pool/verdict.ts';
import type { Passage } from '../core/ports/router.ts';

type Failed = Extract<Answer, { readonly word: 'failed' }>;
type Asked = Pick<Passage, 'others' | 'failed'> | null;

/**
 * An error is marked where another provider could take the same call: one that is final with its provider, and says more of the provider than
 * of the call, is tried again for that reason; for one whose provider asked to be left alone, the task need not wait until that is over.
 * Where several were called, those are named that failed besides, so that it is tried with none of them. Nobody else may say so.
 */
export function sentElsewhere(answer: Answer, passage: Asked): Answer {
  if (answer.word !== 'failed') return answer;
  const { error } = answer;
  const { elsewhere, also_failed, ...data } = error.data;
  const marks = marksOf(answer, passage);
  if (elsewhere === undefined && also_failed === undefined && Object.keys(marks).length === 0) return answer;
  return { word: 'failed', error: { ...error, data: { ...data, ...marks } } };
}

function marksOf(answer: Failed, passage: Asked): Pick<ErrorDetails, 'elsewhere' | 'also_failed'> {
  const also = passage?.failed?.() ?? [];
  const goesOn = isOfProvider(answer.error) || asksToBeLeft(answer);
  return {
    ...(goesOn && passage?.others?.() === true ? { elsewhere: true } : {}),
    ...(also.length === 0 ? {} : { also_failed: also }),
  };
}

function isOfProvider(error: ErrorRecord): boolean {
  return error.data.fault !== undefined && classOf(error) === 'rejected';
}

function asksToBeLeft(answer: Failed): boolean {
  return (judge(answer).pause_ms ?? 0) > 0;
}
