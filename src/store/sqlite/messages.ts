import type { MessagePort } from 'node:worker_threads';
import type { ErrorCode } from '../../core/error-codes.ts';
import { type ErrorDetails, GleitzeitError } from '../../core/errors.ts';

/** What is asked of a thread, and what it answers. */
export type Ask = readonly [id: number, method: string, value: unknown];
export type Reply = readonly [id: number, value: unknown, error?: PlainError];
export type PlainError = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: ErrorDetails;
};

export function errorFrom({ code, message, details }: PlainError): GleitzeitError {
  return new GleitzeitError(code, message, details);
}

export function replyError(port: MessagePort, id: number, { code, message, details }: GleitzeitError): void {
  port.postMessage([id, null, { code, message, details }] satisfies Reply);
}

/** Answers with what `work` returns or throws. */
export function answer(port: MessagePort, id: number, work: () => unknown): void {
  try {
    port.postMessage([id, work()] satisfies Reply);
  } catch (thrown) {
    replyError(port, id, GleitzeitError.from(thrown));
  }
}

/** For what was asked of a thread whose opening failed, before that was known. */
export function notOpen(): GleitzeitError {
  return new GleitzeitError('GLZ3001', 'the store could not be opened');
}
