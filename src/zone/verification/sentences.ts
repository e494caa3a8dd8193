import { type ZoneErrorName, zoneErrorName } from '../contract/errors.ts';

/** Everything people are told besides replies. No codes, no names of machines, nothing that came from elsewhere. */
export const sentences = {
  not_allowed: 'Sorry, I may not answer this here.',
  too_many: 'You are asking faster than I may answer. Please wait a moment and ask again.',
  channel_busy: 'There are more questions in this channel than I may answer. Please ask again in a moment.',
  too_large: 'That is more than I can take at once. Please shorten it and ask again.',
  reply_too_large: 'The answer is longer than I can bring here. Please ask for less of it.',
  empty: 'I have no answer to that.',
  not_posted: 'I have an answer, and could not post it. Please ask again, or tell whoever looks after me.',
  too_late: 'This takes longer than I may wait. Please ask again later.',
  not_understood: 'I could not make sense of that request. Please put it differently.',
  busy: 'There is too much to do right now. Please ask again in a few minutes.',
  unreachable: 'I cannot reach those who could answer this right now. Please ask again later.',
  failed: 'Something went wrong while I worked on this. Please ask again, or tell whoever looks after me.',
  cancelled: 'Somebody stopped this before it was done.',
} as const;

export type SentenceName = keyof typeof sentences;
export type Sentences = Readonly<Record<SentenceName, string>>;

const ofErrors: Readonly<Record<ZoneErrorName, SentenceName>> = {
  parse_error: 'failed',
  invalid_request: 'failed',
  method_not_found: 'failed',
  invalid_params: 'not_understood',
  internal_error: 'failed',
  timeout: 'too_late',
  unknown_task: 'failed',
  conflict: 'failed',
  task_failed: 'failed',
  cancelled: 'cancelled',
  overloaded: 'busy',
  unavailable: 'unreachable',
  forbidden: 'not_allowed',
  too_large: 'too_large',
};

/** What is said of an error of the other zone, which may know more codes than we do. */
export function sentenceOfError(code: number): SentenceName {
  const name = zoneErrorName(code);
  return name === null ? 'failed' : ofErrors[name];
}
