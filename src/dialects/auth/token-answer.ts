import { type ErrorDetails, GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject, own } from '../../core/json.ts';
import { redact } from '../../core/secrets.ts';
import { codeForStatus, providerFault } from '../../rpc/http/answer.ts';
import type { HttpResponse } from '../../rpc/http/exchange.ts';
import { retryAfter } from '../../rpc/http/retry-after.ts';

export type AccessToken = { readonly token: string; readonly lifetime_ms: number };

export type TokenAnswerParts = {
  /** The endpoint, as errors name it. */
  readonly endpoint: string;
  /** What it was told, and may repeat. */
  readonly secrets: readonly string[];
  readonly wall: () => number;
};

/** Where the endpoint does not say how long a token is good for. */
const ASSUMED_MS = 5 * 60 * 1000;
/** Nobody asks again for longer than this, whatever the endpoint says. */
const LONGEST_MS = 24 * 60 * 60 * 1000;
const LONGEST_TOKEN = 16 * 1024;
const SHOWN = 200;

/** The token in an answer of a token endpoint (RFC 6749, 5). What it complains of is told without what it was told. */
export function tokenFrom(response: HttpResponse, parts: TokenAnswerParts): AccessToken {
  const { status, body } = response;
  if (status < 200 || status >= 300) throw refusal(response, parts);
  const said = jsonIn(body);
  if (said === null) throw noAnswer(parts);
  const token = own(said, 'access_token');
  const type = own(said, 'token_type');
  if (typeof token !== 'string' || token === '') throw noToken(parts, 'its answer has no access_token');
  if (token.length > LONGEST_TOKEN)
    throw noToken(parts, `its token is longer than ${LONGEST_TOKEN} characters`);
  if (!/^[\x21-\x7e]+$/.test(token))
    throw noToken(parts, 'its token holds characters that no header can carry');
  if (typeof type === 'string' && type.toLowerCase() !== 'bearer')
    throw noToken(parts, 'its token is of a type other than Bearer');
  return { token, lifetime_ms: lifetimeOf(own(said, 'expires_in')) };
}

/** A number of seconds; some endpoints write it as text. */
function lifetimeOf(expires: unknown): number {
  const seconds = typeof expires === 'string' && expires !== '' ? Number(expires) : expires;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return ASSUMED_MS;
  return Math.min(Math.max(seconds, 0) * 1000, LONGEST_MS);
}

function jsonIn(body: Buffer): JsonObject | null {
  try {
    const said: unknown = JSON.parse(body.toString());
    return isObject(said) ? said : null;
  } catch {
    return null;
  }
}

/** So that nobody takes it for an answer of the service. */
const fromEndpoint = { answered_by: 'token_endpoint' };

const hint = 'is token_url the address of a token endpoint of OAuth 2.0?';

/** Who said it is not known: a proxy that cannot reach the endpoint may have a page for that. It may pass. */
function noAnswer({ endpoint }: TokenAnswerParts): GleitzeitError {
  const reason = 'its answer is no object of JSON';
  return new GleitzeitError('GLZ2002', `no access token from ${endpoint}: ${reason}`, { reason, hint });
}

function noToken({ endpoint }: TokenAnswerParts, reason: string): GleitzeitError {
  return new GleitzeitError('GLZ2005', `no access token from ${endpoint}: ${reason}`, {
    reason,
    ...providerFault,
    hint,
    details: fromEndpoint,
  });
}

function refusal(response: HttpResponse, { endpoint, secrets, wall }: TokenAnswerParts): GleitzeitError {
  const { status, headers, body } = response;
  const redirects = status >= 300 && status < 400;
  const words = redirects ? '; redirects are not followed' : complaint(jsonIn(body) ?? {}, secrets);
  const retry_after_ms = retryAfter(headers['retry-after'], wall);
  const code = codeForStatus(status);
  const details: ErrorDetails = {
    ...(code === 'GLZ2010' ? { hint: 'check token_url, client_id, client_secret and style of auth' } : {}),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
    ...(code === 'GLZ2010' || code === 'GLZ2005' ? providerFault : {}),
    details: { http_status: status, ...fromEndpoint },
  };
  return new GleitzeitError(
    code,
    `no access token from ${endpoint}: it answered HTTP ${status}${words}`,
    details,
  );
}

/** `invalid_client (the client is not known)`. The rest of the answer may hold anything. */
function complaint(said: JsonObject, secrets: readonly string[]): string {
  const [error, description] = ['error', 'error_description'].map((key) => {
    const text = own(said, key);
    // Masked before it is cut: half a secret would not be recognised.
    return typeof text === 'string' ? redact(text, secrets).replaceAll(/\s+/g, ' ').slice(0, SHOWN) : '';
  });
  if (error === '') return '';
  return description === '' ? `, ${error}` : `, ${error} (${description})`;
}
