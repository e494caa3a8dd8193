import type { Answer } from '../../core/answer.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { type ErrorDetails, type Fault, GleitzeitError, serviceError } from '../../core/errors.ts';
import { isObject, own } from '../../core/json.ts';
import type { RpcAnswer } from '../../rpc/channel.ts';
import { faultOfCredentials } from '../../rpc/http/answer.ts';
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  type RpcErrorObject,
} from '../../rpc/messages.ts';

/** The longest a service can make a task wait; more is more likely a wrong unit. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/** The service will refuse the same request again, whatever status carries that. */
const final = [PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS];

/** What the service said, in the words of the engine. */
export function answerFrom(said: RpcAnswer): Answer {
  if ('result' in said) return { word: 'done', result: JSON.stringify(said.result) };
  return { word: 'failed', error: errorFrom(said.error, said).toRecord() };
}

type Status = { readonly http_status?: number; readonly retry_after_ms?: number };

function errorFrom(said: RpcErrorObject, status: Status): GleitzeitError {
  const error = serviceError(said);
  const code = codeByStatus(said.code, status.http_status) ?? error.code;
  const details: ErrorDetails = {
    ...error.details,
    ...waitOf(said, status),
    ...faultOf(said.code, status.http_status),
    ...(status.http_status === undefined || status.http_status === 200
      ? {}
      : { reason: `HTTP ${status.http_status}` }),
  };
  return new GleitzeitError(code, error.message, details);
}

/** What the status adds to the error's own code; null for nothing. */
function codeByStatus(rpc: number, http: number | undefined): ErrorCode | null {
  if (http === undefined) return null;
  if (http === 429) return 'GLZ2004';
  if (http === 401 || http === 403 || http === 407 || final.includes(rpc)) return 'GLZ2010';
  if (http === 408) return 'GLZ2003';
  return http === 425 || http >= 500 ? 'GLZ2001' : null;
}

/** That it lacks the method a service says by a code of its own; what it thinks of our credentials, by the status. */
function faultOf(rpc: number, http: number | undefined): { readonly fault?: Fault } {
  const refused = http === undefined ? {} : faultOfCredentials(http);
  return refused.fault === undefined && rpc === METHOD_NOT_FOUND ? { fault: 'method' } : refused;
}

/** Asked for by header, or by the error itself where the carrier has no headers. */
function waitOf({ data }: RpcErrorObject, { retry_after_ms }: Status): ErrorDetails {
  const asked = retry_after_ms ?? (isObject(data) ? own(data, 'retry_after_ms') : undefined);
  if (typeof asked !== 'number' || !(asked >= 0)) return {};
  return { retry_after_ms: Math.min(asked, LONGEST_WAIT_MS) };
}
