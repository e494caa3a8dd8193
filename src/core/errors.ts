import { type ErrorClass, type ErrorCode, errorCodes, isErrorCode } from './error-codes.ts';
import { isObject, type Json, own } from './json.ts';
import { MAX_ERROR_DETAILS, MAX_ERROR_TEXT } from './limits.ts';

/** What an error says besides its code and message: where, why, and what to do next. */
export type ErrorDetails = {
  readonly field?: string;
  readonly reason?: string;
  readonly hint?: string;
  /** The service's own JSON-RPC code, where the error came from one. */
  readonly remote_code?: number;
  readonly retry_after_ms?: number;
  /** The provider that was called, and which attempt of the task that was, where an attempt ended with the error. */
  readonly provider?: string;
  readonly attempt?: number;
  /** What is wrong besides the call, where that is known: see Fault. */
  readonly fault?: Fault;
  /** Tried again with another provider that could take the same call, since it is final here or this one asked to be left alone. */
  readonly elsewhere?: true;
  /** Further providers that were called by the same attempt, and failed. */
  readonly also_failed?: readonly string[];
  readonly details?: Json;
};

/**
 * `provider`: it is not what it was taken for, or not well, and would answer other calls no better: it refuses our credentials, nothing
 * of its kind is at that address, what it answers cannot be read. `method`: it does not have this method. Left out where it is the call
 * itself that was refused, or where the class of the error says enough.
 */
export type Fault = 'provider' | 'method';

/** The one shape errors have on the wire, in the store and in events: a JSON-RPC error object. */
export type ErrorRecord = {
  readonly code: number;
  readonly message: string;
  readonly data: ErrorDetails & { readonly error_code: ErrorCode };
};

/** The only error class of the product. What it means is in its code, never in a subclass. */
export class GleitzeitError extends Error {
  override readonly name = 'GleitzeitError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }

  get class(): ErrorClass {
    return errorCodes[this.code].class;
  }

  /** Anything that was thrown, as ours. An error of ours stays itself. */
  static from(thrown: unknown, fallback: ErrorCode = 'GLZ9001'): GleitzeitError {
    if (thrown instanceof GleitzeitError) return thrown;
    if (thrown instanceof Error) return new GleitzeitError(fallback, thrown.message, {}, thrown);
    if (typeof thrown === 'string') return new GleitzeitError(fallback, thrown);
    return new GleitzeitError(fallback, 'something that is not an error was thrown', {}, thrown);
  }

  toRecord(): ErrorRecord {
    return errorRecord(this.code, this.message, this.details);
  }
}

/** The record alone, for what nobody throws. */
export function errorRecord(code: ErrorCode, message: string, details: ErrorDetails = {}): ErrorRecord {
  return { code: errorCodes[code].rpc, message, data: { error_code: code, ...details } };
}

/** An error as it came out of the store or from a server of ours. One without a code of ours is a service's own. */
export function errorFromRpc(value: unknown): GleitzeitError {
  const data = isObject(value) ? own(value, 'data') : undefined;
  if (!isObject(value) || !isObject(data)) return serviceError(value);
  const { error_code, ...details } = data;
  if (!isErrorCode(error_code)) return serviceError(value);
  return new GleitzeitError(error_code, messageIn(value), details as ErrorDetails);
}

/**
 * An error as a service said it. Its code is JSON-RPC's: a refused request is final, trouble inside the service may
 * pass. A code of ours in its data is hearsay: our store is not away because somebody else's is.
 */
export function serviceError(value: unknown): GleitzeitError {
  if (!isObject(value))
    return new GleitzeitError('GLZ2001', 'the service answered with an error that is no object');
  const rpc = own(value, 'code');
  const data = own(value, 'data') as Json | undefined;
  const code = typeof rpc === 'number' ? rpc : -32603;
  const details: ErrorDetails = { remote_code: code, ...(data === undefined ? {} : { details: data }) };
  return new GleitzeitError(mayPass(code) ? 'GLZ2001' : 'GLZ2010', messageIn(value), details);
}

function messageIn(error: object): string {
  const message: unknown = own(error, 'message');
  return typeof message === 'string' ? message : 'no message given';
}

function mayPass(rpc: number): boolean {
  return rpc === -32603 || (rpc <= -32000 && rpc >= -32099);
}

/** What a task that someone cancelled says of itself. */
export function cancellation(reason: string | null): ErrorRecord {
  return errorRecord('GLZ2009', cut(reason ?? 'cancelled'));
}

export function classOf(error: ErrorRecord): ErrorClass {
  return errorCodes[error.data.error_code].class;
}

/** Final with whom it came from, which would refuse the same call again: the task goes on with another. */
export function isRefusedHere(error: ErrorRecord): boolean {
  return error.data.elsewhere === true && classOf(error) === 'rejected';
}

/** The record with what people read cut to length, and further details left out where they are too many. */
export function boundError({ code, message, data }: ErrorRecord): ErrorRecord {
  const { details, ...rest } = data;
  const short = Object.entries(rest).map(([key, value]) => [
    key,
    typeof value === 'string' ? cut(value) : value,
  ]);
  const small = details === undefined || JSON.stringify(details).length <= MAX_ERROR_DETAILS;
  return {
    code,
    message: cut(message),
    data: {
      ...(Object.fromEntries(short) as ErrorRecord['data']),
      ...(details === undefined ? {} : { details: small ? details : 'left out: too long' }),
    },
  };
}

function cut(text: string): string {
  return text.length <= MAX_ERROR_TEXT
    ? text
    : `${text.slice(0, MAX_ERROR_TEXT)} … (${text.length} characters)`;
}
