import { addressOf } from './address.ts';
import type { Client } from './client.ts';
import { CallingClient } from './client-over.ts';
import { Conversation } from './conversation.ts';
import { HttpCaller } from './http.ts';
import { MAX_ANSWER_BYTES } from './read-answer.ts';
import { patienceOf, type Reconnect, type WhenAway } from './reconnect.ts';
import type { FetchLike, WebSocketClass } from './web.ts';
import { webSocketPipes } from './websocket.ts';

export type ConnectOptions = {
  /** Such as `http://127.0.0.1:8000`; in a browser also relative to the page. */
  readonly url: string;
  /** As `gleitzeit token create` printed it. */
  readonly key?: string | undefined;
  /** For calls that do not say; 30 seconds where nothing is said. */
  readonly timeout_ms?: number | undefined;
  readonly reconnect?: Reconnect | undefined;
  /** Hears when the connection that events and waits come over is lost, and when it is there again. */
  readonly when_away?: WhenAway | undefined;
  /** An answer by POST that is larger is given up; 64 MiB where nothing is said. */
  readonly max_answer_bytes?: number | undefined;
  /** Used instead of the global ones. */
  readonly fetch?: FetchLike | undefined;
  readonly WebSocket?: WebSocketClass | undefined;
};

/**
 * A client of a server on the network: single calls by POST, events and waits over one WebSocket, which is there while
 * it is needed. Nothing is opened before the first call.
 */
export function connect(options: ConnectOptions): Client {
  const address = addressOf(options.url);
  const patience = patienceOf(options.reconnect);
  const {
    fetch = globalFetch(),
    WebSocket = globalWebSocket(),
    max_answer_bytes = MAX_ANSWER_BYTES,
  } = options;
  const key = keyOf(options.key);
  const known = { reached: false };
  const caller = new HttpCaller({ url: address.http, key, fetch, patience, known, max_answer_bytes });
  const open = webSocketPipes({ address, WebSocket, caller, needsTicket: key !== undefined });
  const conversation = new Conversation({
    open,
    url: address.http,
    patience,
    known,
    whenAway: options.when_away,
  });
  return new CallingClient({ conversation, caller, timeout_ms: options.timeout_ms });
}

/** One that a header cannot carry would be quoted by the error that says so. */
function keyOf(given: string | undefined): string | undefined {
  const key = given?.trim();
  if (key === undefined || /^[\x21-\x7e]+$/.test(key)) return key;
  throw new TypeError('key must be as `gleitzeit token create` printed it, without spaces or other signs');
}

function globalFetch(): FetchLike {
  return (url, request) => globalThis.fetch(url, request);
}

function globalWebSocket(): WebSocketClass {
  if (typeof globalThis.WebSocket === 'function') return globalThis.WebSocket;
  throw new TypeError('there is no WebSocket here; Node has one from version 22 on');
}
