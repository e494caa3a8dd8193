const KIB = 1024;
const MIB = 1024 * KIB;

/** What one listener gives away at most. What is over a bound is refused with words, never kept for later. */
export type ListenerLimits = {
  readonly body_bytes: number;
  readonly header_bytes: number;
  /**
   * All bodies and messages that are being received or worked on, and large answers that wait to be taken. Where the
   * bound is reached, only what has up to `SMALL_BYTES` is still let in.
   */
  readonly held_bytes: number;
  /** The headers must be there after so long, the whole request or message after `request_ms`. */
  readonly headers_ms: number;
  readonly request_ms: number;
  readonly keep_alive_ms: number;
  readonly connections: number;
  /** Requests that are worked on. */
  readonly requests: number;
  readonly requests_per_connection: number;
  readonly sockets: number;
  /** Messages of one WebSocket that are worked on; what comes after them is not read. Those that wait count apart. */
  readonly socket_messages: number;
  /** Bytes one WebSocket may leave untaken before it is cut. */
  readonly socket_buffer: number;
  readonly streams: number;
  /** So often everybody is asked for a sign of life. Whoever gives none, or takes nothing of what waits, is cut. */
  readonly pulse_ms: number;
};

export const defaultListenerLimits: ListenerLimits = {
  body_bytes: 32 * MIB,
  header_bytes: 16 * KIB,
  held_bytes: 256 * MIB,
  headers_ms: 10_000,
  request_ms: 30_000,
  keep_alive_ms: 65_000,
  connections: 4096,
  requests: 2048,
  requests_per_connection: 128,
  sockets: 2048,
  socket_messages: 64,
  socket_buffer: 4 * MIB,
  streams: 1024,
  pulse_ms: 20_000,
};

/** So much of a request is never too much: the bound on connections bounds the sum. */
export const SMALL_BYTES = 64 * KIB;

/**
 * A message of so many times `body_bytes` is read where its endpoint has words for what is too large, so that it alone is
 * refused; one that is larger still ends its connection.
 */
export const REFUSED_ALONE = 2;

/** Messages of one WebSocket that wait for something to end, besides those that are worked on. */
export const SOCKET_WAITS = 1000;
