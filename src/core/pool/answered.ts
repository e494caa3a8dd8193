import type { ErrorCode } from '../error-codes.ts';
import { classOf, type ErrorDetails, type ErrorRecord } from '../errors.ts';
import { isObject, own } from '../json.ts';

/** These refuse whoever calls, whatever is called. */
const refusals: readonly number[] = [401, 403, 407];
const NOT_FOUND = 404;
/** A proxy says these of a service that it cannot reach. */
const away: readonly number[] = [502, 503, 504];
const METHOD_NOT_FOUND = -32601;
/** A call that would have needed what is not there, a param or a secret. */
const unmade: readonly ErrorCode[] = ['GLZ2006', 'GLZ3010'];

/**
 * `answer`: the service it was for said it, and one that refuses a method it does not have, or params it cannot take, is
 * there; `nobody`: no service was asked, since the provider itself has no such method or cannot make a call of these params.
 */
export type ErrorSource = 'answer' | 'trouble' | 'nobody';

/** Where the error comes from that a question ended with. `known`: whether the provider has the method. */
export function sourceOf(error: ErrorRecord, known: boolean): ErrorSource {
  const { data } = error;
  const { error_code, remote_code, field } = data;
  const kind = classOf(error);
  if (kind === 'rate_limit') return 'answer';
  if (remote_code !== undefined) return error_code === 'GLZ2010' && isRpcAnswer(error) ? 'answer' : 'trouble';
  const status = httpStatus(data);
  const refused = kind === 'rejected' && error_code !== 'GLZ2005';
  if (status !== null) {
    const answer = refused && !refusals.includes(status) && status !== NOT_FOUND;
    return answer ? 'answer' : 'trouble';
  }
  if (kind === 'invalid' || unmade.includes(error_code)) return 'nobody';
  if (!refused) return 'trouble';
  return known && field === undefined ? 'answer' : 'nobody';
}

/** Whether this is an error that a service said in JSON-RPC, and not instead of whoever was called. */
export function isRpcAnswer({ data }: ErrorRecord): boolean {
  if (data.remote_code === undefined) return false;
  const status = httpStatus(data);
  if (status === null) return true;
  // Some services put the error of a method that they do not have under this status.
  if (status === NOT_FOUND) return data.remote_code === METHOD_NOT_FOUND;
  return !refusals.includes(status) && !away.includes(status);
}

/** The HTTP status an error came with, where it came with one. */
function httpStatus({ details, reason }: ErrorDetails): number | null {
  const status = isObject(details) ? own(details, 'http_status') : undefined;
  if (typeof status === 'number') return status;
  const [, digits] = /^HTTP (\d{3})$/.exec(reason ?? '') ?? [];
  return digits === undefined ? null : Number(digits);
}
