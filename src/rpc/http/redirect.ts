import { type ErrorDetails, GleitzeitError } from '../../core/errors.ts';
import type { ResponseHeaders } from './exchange.ts';

/** One request on its way, which may lead from one address to the next. */
export type Hop = {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  /** Not the configured origin, or not to be trusted like it. */
  readonly foreign: boolean;
  /** By a redirect, not by whoever asked. */
  readonly led?: boolean;
};

type Answered = { readonly status: number; readonly headers: ResponseHeaders };

const redirections: readonly number[] = [301, 302, 303, 307, 308];

/** Where an answer sends us; null for one that does not. */
export function locationOf({ status, headers }: Answered): string | null {
  if (!redirections.includes(status)) return null;
  const { location } = headers;
  const [first] = Array.isArray(location) ? location : [location];
  return first ?? null;
}

/**
 * The request that follows a redirect, as browsers make it, and more careful: what was sent to one origin is not sent to
 * another, a secure connection is not given up, and who was led away from the configured origin is not trusted when led back.
 */
export function nextHop(hop: Hop, status: number, location: string): Hop {
  const url = URL.parse(location, hop.url);
  if (url === null) throw misled(hop, 'to something that is no address');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw misled(hop, `to ${url.protocol}, which is not called`);
  if (url.username !== '' || url.password !== '')
    throw misled(hop, 'to an address that carries a name or a password');
  if (hop.url.protocol === 'https:' && url.protocol === 'http:')
    throw misled(hop, 'from https:// to http://, where everybody could read along');
  const foreign = hop.foreign || url.origin !== hop.url.origin;
  const toGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST';
  const { 'content-type': _, ...bodiless } = hop.headers;
  if (toGet) return { method: 'GET', url, headers: bodiless, body: null, foreign, led: true };
  if (hop.body !== null && url.origin !== hop.url.origin)
    throw misled(hop, `to another origin, ${url.origin}, with what was sent`);
  return { ...hop, url, foreign, led: true };
}

export function tooManyRedirects(
  hop: Hop,
  { status, location, allowed }: { status: number; location: string; allowed: number },
): GleitzeitError {
  const details = { details: { http_status: status } };
  if (allowed > 0) return misled(hop, `once more, after ${allowed} times`, details);
  return misled(hop, `to ${location.slice(0, 500)}`, details);
}

function misled({ url }: Hop, where: string, details: ErrorDetails = {}): GleitzeitError {
  const message = `${url.origin}${url.pathname} redirects ${where}`;
  const hint = 'configure the address that answers by itself';
  return new GleitzeitError('GLZ2010', message, { hint, ...details });
}
