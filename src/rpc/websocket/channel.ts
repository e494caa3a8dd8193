import type { LookupFunction } from 'node:net';
import { WebSocket } from 'ws';
import { GleitzeitError } from '../../core/errors.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD } from '../../core/limits.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Random } from '../../core/ports/random.ts';
import type { Channel, ChannelCall, ChannelNotification, Notified, RpcAnswer } from '../channel.ts';
import { type Correlation, createCorrelation } from '../correlate.ts';
import { type Credentials, logWithout, type Shown, withQuery } from '../credentials.ts';
import type { HttpTls } from '../http/connect.ts';
import { requestText } from '../messages.ts';
import { type Backoff, defaultBackoff } from './backoff.ts';
import { linkClosed } from './failure.ts';
import { Link, type OpenSocket } from './link.ts';

/** What an envelope may add to the largest payload. */
const ENVELOPE = 64 * 1024;
/** So much of a message that is too large is looked through for the call it answers. */
const HEAD = 4096;

export type WebSocketChannelOptions = {
  /** ws or wss. */
  readonly url: string;
  /** With every connection; asked for each time where they may change. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  /** Shown with every connection. */
  readonly credentials?: Credentials | null;
  /** A larger answer is refused, and the connection goes on. */
  readonly max_answer_bytes?: number;
  /** A message of this size ends the connection: it would have to be held as a whole to be refused alone. */
  readonly max_message_bytes?: number;
  readonly max_depth?: number;
  /** Bytes the peer may leave untaken before calls wait for it. */
  readonly max_buffered_bytes?: number;
  /** Calls that wait for a connection or for room in it; more are refused. */
  readonly max_waiting?: number;
  readonly connect_timeout_ms?: number;
  readonly ping_ms?: number;
  readonly backoff?: Backoff;
  /** Asked for with every connection where it may change. */
  readonly tls?: HttpTls | (() => HttpTls);
  readonly lookup?: LookupFunction;
  readonly notified?: Notified;
  /** A connection is there, the first or another one. */
  readonly connected?: () => void;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
};

/** JSON-RPC over one WebSocket. The first call opens it; from then on it is opened again whenever it is gone. */
export function webSocketChannel(options: WebSocketChannelOptions): Channel {
  return new WebSocketChannel(options);
}

class WebSocketChannel implements Channel {
  readonly #peer: string;
  readonly #max_answer: number;
  readonly #max_buffered: number;
  readonly #max_waiting: number;
  readonly #calls: Correlation;
  readonly #link: Link;
  readonly #credentials: Credentials | null;
  #waiting = 0;

  constructor(options: WebSocketChannelOptions) {
    const url = parseUrl(options.url);
    this.#peer = `${url.protocol}//${url.host}${url.pathname}`;
    this.#max_answer = options.max_answer_bytes ?? MAX_PAYLOAD + ENVELOPE;
    this.#max_buffered = options.max_buffered_bytes ?? 4 * 1024 * 1024;
    this.#max_waiting = options.max_waiting ?? 1000;
    const { timers, random, notified, credentials = null } = options;
    const logger = credentials === null ? options.logger : logWithout(options.logger, credentials);
    this.#credentials = credentials;
    this.#calls = createCorrelation({
      logger,
      max_depth: options.max_depth ?? MAX_JSON_DEPTH,
      reply: (text) => void this.#sendNow(text),
      ...(notified === undefined ? {} : { notified }),
    });
    this.#link = new Link({
      peer: this.#peer,
      credentials,
      connect: (shown) =>
        new WebSocket(
          addressFor(url, shown),
          socketOptions(options, { max_answer: this.#max_answer, shown }),
        ),
      connect_timeout_ms: options.connect_timeout_ms ?? 10_000,
      ping_ms: options.ping_ms ?? 20_000,
      backoff: options.backoff ?? defaultBackoff,
      timers,
      random,
      logger,
      received: (message) => this.#received(message),
      cut: (error) => this.#cut(error),
      connected: options.connected ?? (() => {}),
    });
  }

  call(call: ChannelCall): Promise<RpcAnswer> {
    return this.#calls.open(call, (text) => {
      if (this.#sendNow(text)) return;
      this.#sendLater(text, call.signal).catch((error) =>
        this.#calls.fail(call.id, GleitzeitError.from(error, 'GLZ2002')),
      );
    });
  }

  async notify(message: ChannelNotification): Promise<void> {
    const text = requestText(message);
    if (!this.#sendNow(text)) await this.#sendLater(text, null);
  }

  async close(): Promise<void> {
    this.#calls.failAll(linkClosed(this.#peer));
    await Promise.all([this.#credentials?.close(), this.#link.close()]);
  }

  #sendNow(text: string): boolean {
    const open = this.#link.now;
    if (open === null || this.#waiting > 0 || this.#isFull(open)) return false;
    open.socket.send(text);
    return true;
  }

  async #sendLater(text: string, signal: AbortSignal | null): Promise<void> {
    if (this.#waiting >= this.#max_waiting) throw tooMany(this.#peer, this.#max_waiting);
    this.#waiting++;
    try {
      const open = await this.#link.open();
      while (this.#isFull(open)) await open.drain.wait();
      if (open.socket.readyState !== WebSocket.OPEN) throw lostWhileWaiting(this.#peer);
      if (signal?.aborted !== true) open.socket.send(text);
    } finally {
      this.#waiting--;
    }
  }

  #isFull({ socket }: OpenSocket): boolean {
    return socket.readyState === WebSocket.OPEN && socket.bufferedAmount > this.#max_buffered;
  }

  #received(message: Uint8Array): void {
    if (message.length <= this.#max_answer) this.#calls.received(message);
    else this.#calls.refused(message.subarray(0, HEAD), `is larger than ${this.#max_answer} bytes`);
  }

  /** What is final for the call that caused it must not be for those that happened to be under way with it. */
  #cut(error: GleitzeitError): void {
    const innocent = error.class === 'rejected' && this.#calls.pending > 1;
    this.#calls.failAll(innocent ? new GleitzeitError('GLZ2002', error.message) : error);
  }
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'ws:' || url.protocol === 'wss:')) return url;
  throw new GleitzeitError('GLZ1012', 'the address of the service must begin with ws:// or wss://', {
    field: 'url',
  });
}

function addressFor(url: URL, shown: Shown | null): URL {
  return shown === null ? url : new URL(withQuery(url.href.replace(/#.*$/, ''), shown));
}

type Opening = { readonly max_answer: number; readonly shown: Shown | null };

function socketOptions(options: WebSocketChannelOptions, { max_answer, shown }: Opening) {
  const { lookup } = options;
  const tls = given(options.tls);
  const headers = { ...given(options.headers), ...shown?.headers };
  return {
    perMessageDeflate: false,
    closeTimeout: 2000,
    maxPayload: options.max_message_bytes ?? max_answer * 4,
    headers,
    ...(lookup === undefined ? {} : { lookup }),
    ...(tls === undefined ? {} : { minVersion: 'TLSv1.2' as const, ...tls }),
  };
}

function given<Value extends object>(value: Value | (() => Value) | undefined): Value | undefined {
  return typeof value === 'function' ? value() : value;
}

function tooMany(peer: string, count: number): GleitzeitError {
  return new GleitzeitError('GLZ4003', `${count} calls wait for ${peer} already`, {
    hint: 'it takes less than it is asked: call it more slowly',
  });
}

function lostWhileWaiting(peer: string): GleitzeitError {
  return new GleitzeitError('GLZ2002', `the connection to ${peer} was lost before the call was sent`);
}
