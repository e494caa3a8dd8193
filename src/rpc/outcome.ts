import { errorRecord, GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import { errorText, RawJson, type RpcErrorObject, RpcFailure, resultText } from './messages.ts';

/** What one request is answered with: `code` is null where it is a result, `text` where nothing may be said. */
export type Outcome = { readonly text: string | null; readonly code: number | null };

/** What a handler returned, as an answer. Throws where JSON cannot say it. `id` is JSON text. */
export function outcomeOf(value: unknown, id: string): Outcome {
  if (value instanceof RpcFailure) return failure(value.error, id);
  if (value instanceof RawJson) return { text: resultText(id, value.text), code: null };
  const text: string | undefined = JSON.stringify(value === undefined ? null : value);
  if (text === undefined) throw new TypeError(`a ${typeof value} is no result`);
  return { text: resultText(id, text), code: null };
}

const internal = errorRecord('GLZ9001', 'internal error', {
  hint: 'the log of the server says more, at the time of this answer',
});

/** Only an error of ours says anything to the caller: what others say may quote what nobody should read. */
export function outcomeOfThrown(
  thrown: unknown,
  id: string,
  log: { logger: Logger; method: string },
): Outcome {
  try {
    if (thrown instanceof GleitzeitError) return failure(thrown.toRecord(), id);
    logMistake(log, thrown);
  } catch (unwritable) {
    logMistake(log, unwritable);
  }
  return failure(internal, id);
}

type Failed = RpcErrorObject | ReturnType<GleitzeitError['toRecord']>;

export function failure(error: Failed, id: string): Outcome {
  return { text: errorText(id, JSON.stringify(error)), code: error.code };
}

function logMistake({ logger, method }: { logger: Logger; method: string }, thrown: unknown): void {
  const error = thrown instanceof Error ? (thrown.stack ?? thrown.message) : `a ${typeof thrown} was thrown`;
  logger.error('a method failed', { method, error });
}
