import { type buildConnector, Pool } from 'undici';
import { GleitzeitError } from '../../core/errors.ts';
import { redact } from '../../core/secrets.ts';
import { type Credentials, withCredentials, withQuery } from '../credentials.ts';
import { type AddressGuard, guardedConnector } from '../network/guard.ts';
import { type ConnectOptions, connectorFor } from './connect.ts';
import { type ExchangeRequest, exchange, type HttpResponse, type ResponseHeaders } from './exchange.ts';
import { type Hop, locationOf, nextHop, tooManyRedirects } from './redirect.ts';
import { openStream, type WebStream } from './stream.ts';

export type { HttpResponse, ResponseHeaders } from './exchange.ts';
export type { WebStream } from './stream.ts';

export type WebRequest = {
  readonly method: string;
  readonly url: URL;
  /** To another origin than the configured one only those are sent that tell nothing of us. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  /** Caller, deadline and shutdown in one. */
  readonly signal: AbortSignal | null;
  /** What the answer may measure. */
  readonly max_bytes: number;
  /** The address comes from a caller or a service: shown nothing, and called only if it is public or allowed. */
  readonly foreign?: boolean;
  /** Headers for this address alone, also where it is another than the service's own: they are made for it. */
  readonly told?: Readonly<Record<string, string>>;
};

/** Requests to one service, and to wherever its answers lead. Rejects with errors of ours for what is no answer. */
export interface WebClient {
  request(request: WebRequest): Promise<HttpResponse>;
  /** Resolves with the head of the answer. Nothing but the signal limits how long the rest takes. */
  stream(request: WebRequest): Promise<WebStream>;
  /** Rejects what is under way and everything that comes after. Safe to repeat. */
  close(): Promise<void>;
}

export type WebClientOptions = ConnectOptions & {
  /** The service. Its origin is called as it is and shown the credentials; a name and password become a header. */
  readonly url: string;
  readonly credentials?: Credentials | null;
  readonly connections?: number;
  /** How many redirects are followed, one after another. */
  readonly redirects?: number;
  /** Held against every address but the service's own. */
  readonly guard: AddressGuard;
  /** Makes connections instead of the system. */
  readonly connector?: buildConnector.connector;
  readonly body_timeout_ms?: number;
};

/** So many origins besides the service's own have connections that are kept. */
const OTHER_ORIGINS = 16;
const OTHER_CONNECTIONS = 16;

/** What another origin may see of a request. */
const harmless = ['accept', 'accept-language', 'content-type', 'user-agent', 'range'];

export function webClient(options: WebClientOptions): WebClient {
  const { credentials = null, redirects = 0, guard } = options;
  const home = parseUrl(options.url);
  const own = ownHeaders(home);
  const connect = options.connector ?? connectorFor(options);
  const pool = openPool(home.origin, { ...options, connect });
  const others = otherPools(options);

  const hide = (text: string) => (credentials === null ? text : redact(text, credentials.values()));

  function firstHop({ method, url, headers, body, foreign = false }: WebRequest): Hop {
    const other = foreign || url.origin !== home.origin;
    if (url.username !== '' && !other && url.username !== home.username)
      throw new GleitzeitError('GLZ2010', `${url.host} is not called: its address carries a name`);
    return { method, url, headers: lowerCased(headers), body, foreign: other };
  }

  function send<Answer extends { readonly status: number }>(
    hop: Hop,
    { signal, max_bytes, told }: WebRequest,
    carry: Carry<Answer>,
  ): Promise<Answer> {
    const { method, url, body } = hop;
    const path = `${url.pathname}${url.search}`;
    const peer = `${url.origin}${url.pathname}`;
    const request = { method, path, body, signal, max_bytes, peer };
    if (hop.foreign) {
      guard.checkUrl(url);
      const own = hop.led === true ? {} : told;
      return carry.out(others.to(url.origin), { ...request, headers: { ...withoutUs(hop.headers), ...own } });
    }
    const headers = own === null ? hop.headers : { ...own, ...hop.headers };
    if (credentials === null) return carry.out(pool, { ...request, headers });
    let unread: Answer | null = null;
    return withCredentials(credentials, signal, async (shown) => {
      if (unread !== null) carry.drop(unread);
      unread = await carry.out(pool, {
        ...request,
        path: withQuery(path, shown),
        headers: { ...headers, ...shown.headers },
      });
      return unread;
    });
  }

  async function follow<Answer extends Answered>(request: WebRequest, carry: Carry<Answer>): Promise<Answer> {
    let hop = firstHop(request);
    for (let followed = 0; ; followed++) {
      const answer = await send(hop, request, carry);
      const location = locationOf(answer);
      if (location === null) return answer;
      carry.drop(answer);
      if (followed === redirects) {
        const { status } = answer;
        throw tooManyRedirects(hop, { status, location: hide(location), allowed: redirects });
      }
      hop = nextHop(hop, answer.status, location);
    }
  }

  return {
    request: (request) => follow(request, whole),
    stream: (request) => follow(request, streamed),
    close: async () => {
      await Promise.all([credentials?.close(), pool.destroy(), others.close()]);
    },
  };
}

type Answered = { readonly status: number; readonly headers: ResponseHeaders };

type Carry<Answer> = {
  out(pool: Pool, request: ExchangeRequest): Promise<Answer>;
  /** For an answer that nobody will read. */
  drop(answer: Answer): void;
};

const whole: Carry<HttpResponse> = { out: exchange, drop: () => {} };
const streamed: Carry<WebStream> = { out: openStream, drop: (stream) => stream.cancel() };

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw new GleitzeitError('GLZ1012', 'the address of the service must begin with http:// or https://', {
    field: 'url',
  });
}

function ownHeaders({ username, password }: URL): Readonly<Record<string, string>> | null {
  if (username === '') return null;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lower: Record<string, string> = {};
  for (const name of Object.keys(headers)) lower[name.toLowerCase()] = headers[name] ?? '';
  return lower;
}

function withoutUs(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => harmless.includes(name)));
}

/** Neither certificates of ours nor an authority that was configured for the service are for anybody else. */
function otherPools(options: WebClientOptions) {
  const { guard, connections, body_timeout_ms, connect_timeout_ms } = options;
  const plain =
    options.connector ?? connectorFor(connect_timeout_ms === undefined ? {} : { connect_timeout_ms });
  const connect = guardedConnector(guard, plain);
  const pools = new Map<string, Pool>();
  let closed = false;
  return {
    to: (origin: string): Pool => {
      if (closed) throw new GleitzeitError('GLZ2002', `the channel to ${origin} is closed`);
      const most = Math.min(connections ?? OTHER_CONNECTIONS, OTHER_CONNECTIONS);
      const pool = pools.get(origin) ?? openPool(origin, { connect, connections: most, body_timeout_ms });
      // Moved to the end: the one that was not used for the longest time stands first.
      pools.delete(origin);
      pools.set(origin, pool);
      const [oldest] = pools;
      if (pools.size > OTHER_ORIGINS && oldest !== undefined) {
        pools.delete(oldest[0]);
        // What is under way there is finished.
        void oldest[1].close();
      }
      return pool;
    },
    close: async () => {
      closed = true;
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

type PoolOptions = {
  readonly connect: buildConnector.connector;
  readonly connections?: number | undefined;
  readonly body_timeout_ms?: number | undefined;
};

function openPool(origin: string, { connect, connections, body_timeout_ms }: PoolOptions): Pool {
  return new Pool(origin, {
    connections: connections ?? 128,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: body_timeout_ms ?? 300_000,
    connect,
  });
}
