import type { ErrorCode } from '../core/error-codes.ts';
import type { Json } from '../core/json.ts';

/** A code of ours, or one that a newer server has. */
export type CallErrorCode = ErrorCode | (string & Record<never, never>);

export type CallErrorDetails = {
  readonly field?: string | undefined;
  readonly reason?: string | undefined;
  readonly hint?: string | undefined;
  readonly retry_after_ms?: number | undefined;
  readonly details?: Json | undefined;
};

/** What the server said to a call. It arrived, was understood and was refused. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly method: string;
  /** The JSON-RPC code. */
  readonly code: number;
  /** The code to compare with, such as `GLZ1010`; null where whoever answered has none. */
  readonly error_code: CallErrorCode | null;
  /** What is wrong: the name of a param, or a JSON pointer into it. */
  readonly field: string | undefined;
  readonly reason: string | undefined;
  /** What to do about it. */
  readonly hint: string | undefined;
  readonly retry_after_ms: number | undefined;
  readonly details: Json | undefined;

  constructor(
    said: { readonly method: string; readonly code: number; readonly error_code: CallErrorCode | null },
    message: string,
    details: CallErrorDetails = {},
  ) {
    super(message);
    this.method = said.method;
    this.code = said.code;
    this.error_code = said.error_code;
    this.field = details.field;
    this.reason = details.reason;
    this.hint = details.hint;
    this.retry_after_ms = details.retry_after_ms;
    this.details = details.details;
  }
}

/**
 * `unreachable`: nobody was there, for as long as it was tried. `cut`: the connection ended before the answer came.
 * `timeout`: the time of the call ran out. `closed`: the client was closed. `unusable`: what answered is no Gleitzeit.
 */
export type ConnectionTrouble = 'unreachable' | 'cut' | 'timeout' | 'closed' | 'unusable';

export type ConnectionErrorDetails = {
  /** Of the server, without a query; or what the pipe is called. */
  readonly url: string;
  readonly trouble: ConnectionTrouble;
  /** `not_sent`: nothing was done. `unknown`: the server may have done what it was asked. */
  readonly outcome: 'not_sent' | 'unknown';
  readonly hint?: string;
  readonly cause?: unknown;
};

/** The server did not say anything. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly url: string;
  readonly trouble: ConnectionTrouble;
  readonly outcome: 'not_sent' | 'unknown';
  readonly hint: string | undefined;

  constructor(message: string, { url, trouble, outcome, hint, cause }: ConnectionErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.url = url;
    this.trouble = trouble;
    this.outcome = outcome;
    this.hint = hint;
  }
}
