import type { ErrorCode } from '../../core/error-codes.ts';
import { type ErrorDetails, type ErrorRecord, errorRecord, GleitzeitError } from '../../core/errors.ts';
import { MAX_KEYS, MAX_PARTS } from '../guard.ts';
import type { RpcErrorObject } from '../messages.ts';
import type { RpcPolicy } from '../policy.ts';

/** Why a request is not served: what HTTP says of it, and what we say. */
export type Refusal = {
  readonly status: number;
  readonly error: RpcErrorObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the endpoint wants another status to stand before its words. */
  readonly told_with?: number;
};

type OurRefusal = Refusal & { readonly error: ErrorRecord };

function refusal(
  status: number,
  code: ErrorCode,
  message: string,
  details?: ErrorDetails,
  headers?: Readonly<Record<string, string>>,
): OurRefusal {
  const error = errorRecord(code, message, details);
  return headers === undefined ? { status, error } : { status, error, headers };
}

const TOO_LARGE = 413;
const RETRY_AFTER_S = 1;
const soon = { 'retry-after': String(RETRY_AFTER_S) };
const retry_after_ms = RETRY_AFTER_S * 1000;

export const wrongHost = refusal(403, 'GLZ4002', 'this server is not asked for by that name', {
  field: 'host',
  hint: 'ask for it as localhost, or add the name to server.allowed_hosts',
});

export const wrongOrigin = refusal(403, 'GLZ4002', 'pages of that origin may not use this server', {
  field: 'origin',
  hint: 'add the origin to server.allowed_origins',
});

export const unauthenticated = refusal(
  401,
  'GLZ4001',
  'a valid key is needed',
  { hint: 'send the header Authorization: Bearer <key>' },
  { 'www-authenticate': 'Bearer' },
);

export function forbidden(needed: string): Refusal {
  return refusal(403, 'GLZ4002', `this needs the role ${needed}`);
}

export const stopping = refusal(
  503,
  'GLZ9002',
  'the server is stopping',
  { retry_after_ms, hint: 'ask another one, or this one again after its restart' },
  soon,
);

function overloaded(reason: string): Refusal {
  return refusal(429, 'GLZ4003', 'the server has too much to do', { reason, retry_after_ms }, soon);
}

export const tooManyRequests = overloaded('too many requests are under way');
export const tooManyOfYours = overloaded('too many requests of this connection are under way');
export const tooManyBytes = overloaded('the bodies of all requests under way are too large');
export const tooManySockets = overloaded('too many WebSockets are open');
export const tooManyStreams = overloaded('too many event streams are open');

export function tooLarge(limit: number): Refusal {
  return refusal(TOO_LARGE, 'GLZ1007', `the body may have ${limit} bytes`, {
    hint: 'send it in several requests',
  });
}

/** A refusal as an endpoint says it that has words of its own. */
export function inWordsOf({ unread, refused, status }: RpcPolicy, refusal: Refusal): Refusal {
  if (refusal.status === TOO_LARGE && unread !== undefined)
    return { ...refusal, error: unread.too_large, told_with: status.answer };
  return refused === undefined ? refusal : { ...refusal, error: refused(refusal.status, refusal.error) };
}

export function wrongContentType(status: number, code: number | null): Refusal {
  const refused = refusal(status, 'GLZ4006', 'the body must be application/json in UTF-8, not compressed', {
    field: 'content-type',
    hint: 'send the header content-type: application/json',
  });
  return code === null ? refused : { ...refused, error: { ...refused.error, code } };
}

export function notJson(reason: string): Refusal {
  return refusal(400, 'GLZ4005', 'the body is no JSON', { reason });
}

export function tooManyParts(depth: number): Refusal {
  return refusal(400, 'GLZ4006', 'the body has too many parts', {
    reason: `it may be ${depth} levels deep, an object may have ${MAX_KEYS} keys, and all of it ${MAX_PARTS} parts`,
    hint: 'send it in several requests',
  });
}

export function nothingThere(path: string, there: readonly string[]): Refusal {
  const shown = path.length > 100 ? `${path.slice(0, 100)}…` : path;
  return refusal(404, 'GLZ1010', `nothing is at ${shown}`, { hint: `there is ${there.join(', ')}` });
}

export function wrongMethod(method: string, allow: string, hint: string): Refusal {
  return refusal(405, 'GLZ4006', `${method} is not possible here`, { hint }, { allow });
}

export const malformed = refusal(400, 'GLZ4006', 'this is not an HTTP request as it should be');
export const headersTooLarge = refusal(431, 'GLZ1007', 'the headers are too long');
export const tooSlow = refusal(408, 'GLZ2003', 'the request did not arrive in time');

const internal = refusal(500, 'GLZ9001', 'internal error', {
  hint: 'the log of the server says more, at the time of this answer',
});

/** What a route throws. Only errors of ours say anything to whoever asked. */
export function refusalOf(thrown: unknown): Refusal {
  if (!(thrown instanceof GleitzeitError)) return internal;
  return { status: statusOf(thrown), error: thrown.toRecord() };
}

const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  GLZ1007: 413,
  GLZ1010: 404,
  GLZ1009: 409,
  GLZ1011: 409,
  GLZ1013: 409,
  GLZ2001: 502,
  GLZ2002: 502,
  GLZ2003: 504,
  GLZ2004: 503,
  GLZ2005: 502,
  GLZ2007: 503,
  GLZ2010: 502,
  GLZ4001: 401,
  GLZ4002: 403,
  GLZ4003: 429,
  GLZ9001: 500,
};

function statusOf(error: GleitzeitError): number {
  const known = statuses[error.code];
  if (known !== undefined) return known;
  if (error.class === 'invalid') return 400;
  return error.class === 'store' ? 503 : 500;
}
