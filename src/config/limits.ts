import type { Static } from 'typebox';
import { count, duration, section, size } from './words.ts';

const MANY = 1_000_000;
const GIB = 2 ** 30;

/** What callers get at most. Whoever is over a bound is refused, never kept waiting in memory. */
export const limitsSchema = section('What callers get at most.', {
  body: size('a request, or a message over WebSocket', '32MiB', [1024, GIB]),
  headers: size('the headers of a request', '16KiB', [1024, 2 ** 20]),
  held: size('all requests and answers in memory', '256MiB', [2 ** 20, 64 * GIB]),
  batch: count('calls in one batch', 1000, [1, MANY]),
  depth: count('levels of JSON in a request', 160, [8, 1000]),
  headers_timeout: duration('for the headers of a request to arrive', '10s', [0.1, 3600]),
  request_timeout: duration('for a whole request to arrive', '30s', [0.1, 86_400]),
  keep_alive: duration('that an idle connection stays open', '65s', [0, 86_400]),
  pulse: duration('between signs of life; whoever gives none, or takes nothing, is cut', '20s', [0.1, 3600]),
  connections: count('connections', 4096, [1, MANY]),
  requests: count('requests at the same time', 2048, [1, MANY]),
  requests_per_connection: count('of them on one connection', 128, [1, MANY]),
  sockets: count('WebSocket connections', 2048, [1, MANY]),
  socket_messages: count('messages of one WebSocket at the same time', 64, [1, MANY]),
  socket_buffer: size('what one WebSocket may leave unread', '4MiB', [1024, GIB]),
  streams: count('SSE streams', 1024, [1, MANY]),
  subscriptions: count('subscriptions on one connection', 64, [1, MANY]),
});

export type ServerLimits = Readonly<Static<typeof limitsSchema>>;

/** The same in the words of the listener, which counts in milliseconds. */
export function listenerLimits(limits: ServerLimits) {
  const { body, headers, held, headers_timeout, request_timeout, keep_alive, pulse, ...others } = limits;
  const { batch: _batch, depth: _depth, subscriptions: _subscriptions, ...counts } = others;
  return {
    ...counts,
    body_bytes: body,
    header_bytes: headers,
    held_bytes: held,
    headers_ms: headers_timeout * 1000,
    request_ms: request_timeout * 1000,
    keep_alive_ms: keep_alive * 1000,
    pulse_ms: pulse * 1000,
  };
}
