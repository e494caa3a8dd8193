import { isUtf8 } from 'node:buffer';
import type { ErrorCode } from '../../core/error-codes.ts';
import { type ErrorDetails, type Fault, GleitzeitError } from '../../core/errors.ts';
import { readAnswer, type Unusable } from '../answers.ts';
import type { RpcAnswer } from '../channel.ts';
import type { HttpResponse } from './exchange.ts';
import { retryAfter } from './retry-after.ts';

export type AnswerParts = {
  /** Whom errors name. */
  readonly peer: string;
  readonly wall: () => number;
  readonly max_depth: number;
  /** Takes out of what the peer said what it was told in confidence: before it is cut, since half of it would not be recognised. */
  readonly hide?: (text: string) => string;
};

/** What the peer said, under whatever status it said it. What is no JSON-RPC answer is an error by its status. */
export function answerOf(response: HttpResponse, id: string | number, parts: AnswerParts): RpcAnswer {
  const { status, headers, body } = response;
  if (status >= 300 && status < 400) throw redirected(response, parts);
  if (body.length === 0 || isEncoded(response))
    throw noAnswer(response, parts, { why: 'it has no body that can be read' });
  const answer = readAnswer(body, id, parts.max_depth);
  if ('invalid' in answer) throw noAnswer(response, parts, unusableAnswer(answer));
  if (status === 200 && headers['retry-after'] === undefined) return { ...answer, http_status: status };
  const retry_after_ms = retryAfter(headers['retry-after'], parts.wall);
  return { ...answer, http_status: status, ...(retry_after_ms === undefined ? {} : { retry_after_ms }) };
}

/** A notification is not answered; a status that refuses it says all there is to know. */
export function acceptNotification(response: HttpResponse, parts: AnswerParts): void {
  const { status } = response;
  if (status >= 300 && status < 400) throw redirected(response, parts);
  if (status >= 400) throw noAnswer(response, parts, { why: 'a notification was refused' });
}

/** Following one would carry headers and params to somewhere that nobody configured. */
function redirected({ status, headers }: HttpResponse, { peer, hide = asItIs }: AnswerParts): GleitzeitError {
  const { location } = headers;
  const where = typeof location === 'string' ? hide(location).slice(0, 500) : 'nowhere in particular';
  return new GleitzeitError('GLZ2010', `${peer} redirects (HTTP ${status}) to ${where}`, {
    hint: 'redirects are not followed: configure the address it redirects to',
    fault: 'provider',
    details: { http_status: status },
  });
}

/** Compression is never asked for. */
export function isEncoded({ headers }: Pick<HttpResponse, 'headers'>): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding !== 'identity';
}

type NoAnswer = { readonly why: string; readonly past_bounds?: boolean };

function unusableAnswer({ invalid, past_bounds }: Unusable): NoAnswer {
  return { why: `the answer ${invalid}`, past_bounds: past_bounds === true };
}

function noAnswer(
  response: HttpResponse,
  parts: AnswerParts,
  { why, past_bounds = false }: NoAnswer,
): GleitzeitError {
  const { status, headers } = response;
  const retry_after_ms = retryAfter(headers['retry-after'], parts.wall);
  const details: ErrorDetails = {
    reason: why,
    ...(status === 401 || status === 403
      ? { hint: 'check the auth and the headers configured for this service' }
      : {}),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
    ...(past_bounds ? {} : faultOfEndpoint(status)),
    details: { http_status: status },
  };
  const message = `${parts.peer} answered HTTP ${status} without a JSON-RPC answer${beginning(response, parts)}`;
  return new GleitzeitError(codeForStatus(status), message, details);
}

/** The classes of product and engine: what may pass is tried again, what will not is final. */
export function codeForStatus(status: number): ErrorCode {
  if (status < 300) return 'GLZ2005';
  if (status === 429) return 'GLZ2004';
  if (status === 408) return 'GLZ2003';
  return status === 425 || status >= 500 ? 'GLZ2001' : 'GLZ2010';
}

export const providerFault: { readonly fault: Fault } = { fault: 'provider' };

/** Whatever was asked for, it is our credentials that are refused: those of the service, or of a proxy on the way. */
export function faultOfCredentials(status: number): { readonly fault?: Fault } {
  return status === 401 || status === 407 ? providerFault : {};
}

/** Refused for what the request holds: too large, or not what somebody on the way lets through. */
const aboutTheRequest = [400, 408, 409, 412, 413, 414, 417, 422, 425, 428, 429, 431, 451];

/** The same of an address at which there is one service for everything, and which said no word of its language: it is not there. */
export function faultOfEndpoint(status: number): { readonly fault?: Fault } {
  return status < 500 && !aboutTheRequest.includes(status) ? providerFault : {};
}

const SHOWN = 200;
/** Looked through for what must not be shown. */
const READ = 4096;

const asItIs = (text: string) => text;

/** `: ` and what an answer begins with, to be shown in an error. */
export function beginning(response: HttpResponse, { hide = asItIs }: Pick<AnswerParts, 'hide'> = {}): string {
  const { body, headers } = response;
  if (body.length === 0) return ': its body is empty';
  if (isEncoded(response))
    return `: its body is encoded (${String(headers['content-encoding']).slice(0, 40)})`;
  const read = textOf(body.subarray(0, READ));
  if (read === null) return `: its body is no text (${body.length} bytes)`;
  const text = hide(read).replaceAll(/\s+/g, ' ').trim();
  const shown = textOf(Buffer.from(text).subarray(0, SHOWN)) ?? '';
  return `: ${shown}${shown.length < text.length || body.length > READ ? ' …' : ''}`;
}

/** Bytes that were cut somewhere: up to three of the last character may be missing. Null for what is no text. */
function textOf(bytes: Buffer): string | null {
  const whole = [0, 1, 2, 3].map((missing) => bytes.subarray(0, bytes.length - missing)).find(isUtf8);
  return whole === undefined ? null : whole.toString();
}
