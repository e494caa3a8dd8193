import { type buildConnector, Pool } from 'undici';
import { GleitzeitError } from '../../core/errors.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD } from '../../core/limits.ts';
import type { Timers } from '../../core/ports/clock.ts';
import { redact } from '../../core/secrets.ts';
import type { Channel, ChannelCall, ChannelNotification, RpcAnswer } from '../channel.ts';
import { type Credentials, withCredentials, withQuery } from '../credentials.ts';
import { requestText } from '../messages.ts';
import { type AnswerParts, acceptNotification, answerOf } from './answer.ts';
import { answerStream, STREAMED, type StreamParts } from './answer-stream.ts';
import { type ConnectOptions, connectorFor } from './connect.ts';
import { type ExchangeRequest, exchange, type ResponseHeaders } from './exchange.ts';

export type { HttpTls } from './connect.ts';

/** What an envelope may add to the largest payload. */
const ENVELOPE = 64 * 1024;
const ACCEPT = 'application/json';

export type HttpChannelOptions = ConnectOptions & {
  /** http or https. A name and password in it become a header. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Shown with every request. */
  readonly credentials?: Credentials | null;
  /** What else an answer may show of what it was told: masked before anything of it is cut off. */
  readonly hidden?: () => readonly string[];
  /** Connections kept open at most; calls beyond them wait for one. */
  readonly connections?: number;
  readonly max_answer_bytes?: number;
  readonly max_depth?: number;
  /** Until the answer begins. 0, the default, leaves it to the call's signal: agents may think for long. */
  readonly headers_timeout_ms?: number;
  /** Between two pieces of an answer. */
  readonly body_timeout_ms?: number;
  /** Makes the connections, where neither names nor addresses of this machine's network should be used. */
  readonly connector?: buildConnector.connector;
  /** Wall time, for services that say by date when to come again. */
  readonly wall: () => number;
  readonly timers: Timers;
};

/** JSON-RPC by POST to one address, over connections that stay open. */
export function httpChannel(options: HttpChannelOptions): Channel {
  const { credentials = null } = options;
  const url = parseUrl(options.url);
  const peer = `${url.origin}${url.pathname}`;
  const path = `${url.pathname}${url.search}`;
  const headers = baseHeaders(options, url);
  const streamHeaders = headers['accept'] === ACCEPT ? { ...headers, accept: STREAMED } : headers;
  const max_bytes = options.max_answer_bytes ?? MAX_PAYLOAD + ENVELOPE;
  const parts: AnswerParts = {
    peer,
    wall: options.wall,
    max_depth: options.max_depth ?? MAX_JSON_DEPTH,
    hide: (text) => redact(text, [...(credentials?.values() ?? []), ...(options.hidden?.() ?? [])]),
  };
  const streams: StreamParts = { max_bytes, max_depth: parts.max_depth, timers: options.timers };
  const pool = openPool(url.origin, options);

  function send(body: string, { headers: more, signal, stream }: Sending) {
    const base = stream === undefined ? headers : streamHeaders;
    const request = { path, body, headers: withHeaders(base, more), signal, max_bytes, peer, stream };
    if (credentials === null) return exchange(pool, request);
    return withCredentials(credentials, signal, (shown) =>
      exchange(pool, {
        ...request,
        path: withQuery(path, shown),
        headers: { ...request.headers, ...shown.headers },
      }),
    );
  }

  function streamed(asked: ChannelCall): Sending {
    const stream = (received: ResponseHeaders) => answerStream(received, asked, streams);
    return { signal: asked.signal, headers: asked.headers, stream };
  }

  async function call(asked: ChannelCall): Promise<RpcAnswer> {
    const response = await send(requestText(asked), asked.progressed === undefined ? asked : streamed(asked));
    return answerOf(response, asked.id, parts);
  }

  async function notify({ method, params }: ChannelNotification): Promise<void> {
    const response = await send(requestText({ method, params }), { signal: null });
    acceptNotification(response, parts);
  }

  async function close(): Promise<void> {
    await Promise.all([credentials?.close(), pool.destroy()]);
  }

  return { call, notify, close };
}

type Sending = {
  readonly signal: AbortSignal | null;
  readonly headers?: ChannelCall['headers'] | undefined;
  readonly stream?: ExchangeRequest['stream'];
};

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw new GleitzeitError('GLZ1012', 'the address of the service must begin with http:// or https://', {
    field: 'url',
  });
}

function baseHeaders(options: HttpChannelOptions, url: URL): Readonly<Record<string, string>> {
  const { username, password } = url;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    'content-type': 'application/json',
    accept: ACCEPT,
    ...(username === '' ? {} : { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }),
    ...lowerCased(options.headers ?? {}),
  };
}

/** Names in one case, so that what a call brings replaces what was configured instead of being sent beside it. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lower: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) lower[name.toLowerCase()] = value;
  return lower;
}

function withHeaders(
  base: Readonly<Record<string, string>>,
  more: ChannelCall['headers'],
): Readonly<Record<string, string>> {
  return more === undefined ? base : { ...base, ...lowerCased(more) };
}

function openPool(origin: string, options: HttpChannelOptions): Pool {
  return new Pool(origin, {
    connections: options.connections ?? 128,
    pipelining: 1,
    allowH2: false,
    headersTimeout: options.headers_timeout_ms ?? 0,
    bodyTimeout: options.body_timeout_ms ?? 300_000,
    connect: options.connector ?? connectorFor(options),
  });
}
