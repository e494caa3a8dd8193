import { Pool } from 'undici';
import { type Credentials, withQuery } from '../credentials.ts';
import { type AddressGuard, guardedConnector } from '../network/guard.ts';
import { type ConnectOptions, connectorFor } from './connect.ts';
import { type ExchangeRequest, exchange, type HttpResponse } from './exchange.ts';
import { openStream, type WebStream } from './stream.ts';

export type Question = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly signal: AbortSignal | null;
  readonly max_bytes: number;
  /** Shown nothing of who asks. */
  readonly bare?: boolean;
};

/** Sends what it is told and shows what came, whatever it is: redirects are not followed, nothing is added or tried again. */
export interface Asker {
  ask(question: Question): Promise<HttpResponse>;
  open(question: Question): Promise<WebStream>;
  close(): Promise<void>;
}

export type AskerOptions = {
  /** The service that is asked: its host is called as it is, its origin alone is shown the credentials. */
  readonly home: URL;
  readonly credentials: Credentials | null;
  readonly tls?: ConnectOptions['tls'];
  /** Held against every other host. */
  readonly guard: AddressGuard;
};

export function asker({ home, credentials, tls, guard }: AskerOptions): Asker {
  const pools = new Map<string, Pool>();

  function poolOf(url: URL): Pool {
    const known = pools.get(url.origin);
    if (known !== undefined) return known;
    const own = url.origin === home.origin && tls !== undefined ? { tls } : {};
    const trusted = url.hostname === home.hostname;
    if (!trusted) guard.checkUrl(url);
    const connect = trusted ? connectorFor(own) : guardedConnector(guard, connectorFor({}));
    const limits = { connections: 8, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
    const pool = new Pool(url.origin, { ...limits, allowH2: false, connect });
    pools.set(url.origin, pool);
    return pool;
  }

  /** An answer that is not read to its end must not be asked for twice, so credentials are shown once. */
  async function request({
    method,
    url,
    headers,
    body,
    signal,
    max_bytes,
    bare,
  }: Question): Promise<ExchangeRequest> {
    const path = `${url.pathname}${url.search}`;
    const asked = { method, path, headers, body, signal, max_bytes, peer: `${url.origin}${url.pathname}` };
    if (credentials === null || bare === true || url.origin !== home.origin) return asked;
    const shown = await credentials.show(signal);
    return { ...asked, path: withQuery(path, shown), headers: { ...shown.headers, ...headers } };
  }

  return {
    ask: async (question) => exchange(poolOf(question.url), await request(question)),
    open: async (question) => openStream(poolOf(question.url), await request(question)),
    close: async () => {
      await Promise.all([credentials?.close(), ...[...pools.values()].map((pool) => pool.destroy())]);
    },
  };
}
