import type { IncomingHttpHeaders } from 'node:http';

/** Where a request comes from: not from a page, from one of our own, from one that was allowed, or from another. */
export type OriginVerdict = 'no_page' | 'own' | 'allowed' | 'foreign';

export class OriginCheck {
  readonly #allowed: ReadonlySet<string>;

  constructor(allowed: readonly string[]) {
    this.#allowed = new Set(allowed.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  }

  /** The host was checked before, so a page of the same host is one of ours. */
  judge(headers: IncomingHttpHeaders, secure: boolean): OriginVerdict {
    const { origin, host } = headers;
    if (origin === undefined) return isForeignFetch(headers) ? 'foreign' : 'no_page';
    const lower = origin.toLowerCase();
    if (host !== undefined && lower === `${secure ? 'https' : 'http'}://${host.toLowerCase()}`) return 'own';
    return this.#allowed.has(lower) ? 'allowed' : 'foreign';
  }
}

/** Images and scripts come without an origin, but browsers say that another site asked for them. */
function isForeignFetch(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate';
}

/** What a browser wants to hear before it lets a page of an allowed origin speak to us. */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'retry-after, location, allow',
    vary: 'origin',
  };
}

export const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, idempotency-key, last-event-id, traceparent, tracestate',
  'access-control-max-age': '600',
};
