import { errorRecord } from '../core/errors.ts';
import { nearest } from '../core/suggest.ts';
import { MAX_KEYS, MAX_PARTS } from './guard.ts';
import { failure, type Outcome } from './outcome.ts';

/** What is refused before any method is looked up. */
export function unparseable(thrown: unknown): Outcome {
  return failure(errorRecord('GLZ4005', 'parse error', { reason: whereItEnded(thrown) }), 'null');
}

export function invalid(reason: string, id = 'null'): Outcome {
  return failure(errorRecord('GLZ4006', 'invalid request', { reason }), id);
}

export function tooDeep(limit: number): Outcome {
  return invalid(`nested deeper than ${limit} levels`);
}

export function tooManyParts(): Outcome {
  return failure(
    errorRecord('GLZ4006', 'invalid request', {
      reason: `an object may have ${MAX_KEYS} keys, and all of it ${MAX_PARTS} keys, objects and lists`,
      hint: 'send it in several requests',
    }),
    'null',
  );
}

export function batchTooLarge(limit: number): Outcome {
  return failure(
    errorRecord('GLZ4006', 'batch too large', {
      reason: `a batch may have ${limit} members`,
      hint: 'send it in several batches',
    }),
    'null',
  );
}

/** Longer than any name: comparing it would be work for nothing, and anybody may send many of them. */
const LONGEST_NAME = 40;

export function unknownMethod(id: string, name: string, known: Iterable<string>): Outcome {
  const reason = `there is no method ${JSON.stringify(name.slice(0, LONGEST_NAME))}`;
  const close = name.length > LONGEST_NAME ? undefined : nearest(name, known);
  const hint = close === undefined ? {} : { hint: `did you mean ${JSON.stringify(close)}?` };
  return failure(errorRecord('GLZ4007', 'method not found', { field: 'method', reason, ...hint }), id);
}

/** Of a batch whose caller is gone, or whose answers are too much already: what was not begun is not begun. */
export function notBegun(id: string, aborted: boolean): Outcome {
  const error = aborted
    ? errorRecord('GLZ2009', 'cancelled before it was begun')
    : errorRecord('GLZ4003', 'the answers of this batch are too large', {
        reason: 'what the batch asked for before fills its answer',
        hint: 'ask for it in a smaller batch',
      });
  return failure(error, id);
}

/** The engine's own message quotes the text, which may hold a secret; the place is enough. */
export function whereItEnded(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : '';
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `no JSON from character ${position} on`;
  if (thrown instanceof SyntaxError)
    return message.includes('end of JSON') ? 'the text ends too early' : 'no JSON';
  return 'the bytes are no UTF-8';
}
