import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { announcedLength } from './body.ts';
import { sendRawRefusal } from './http-answer.ts';
import { headersTooLarge, malformed, type Refusal, tooSlow } from './refusal.ts';
import type { Shared } from './shared.ts';

export type ListenerTls = {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** Whoever connects must show a certificate of this authority. */
  readonly client_ca?: string | Buffer;
};

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The HTTP server itself, with its bounds on what arrives slowly, endlessly or broken. */
export function openServer(shared: Shared, tls: ListenerTls | undefined, handle: Handler): Server {
  const { limits } = shared;
  const options: ServerOptions = {
    maxHeaderSize: limits.header_bytes,
    headersTimeout: Math.min(limits.headers_ms, limits.request_ms),
    requestTimeout: limits.request_ms,
    keepAliveTimeout: limits.keep_alive_ms,
    connectionsCheckingInterval: Math.ceil(Math.min(2000, limits.headers_ms / 4, limits.request_ms / 4)),
    // Anything else that asks for an upgrade, as some clients do for HTTP/2, is served as the request it is.
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
  };
  const server =
    tls === undefined
      ? createServer(options, handle)
      : createSecureServer({ ...options, ...secureOptions(tls) }, handle);
  server.maxConnections = limits.connections;
  server.on('clientError', (error, socket) => refuseBroken(shared, error, socket));
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // Whoever asks whether to send a body that is too large is told before sending it.
    if (announcedLength(request) > limits.body_bytes) response.setHeader('connection', 'close');
    else response.writeContinue();
    handle(request, response);
  });
  server.on('drop', dropped(shared));
  return server;
}

const SAY_AGAIN_MS = 10_000;

/** Whoever opens too many connections must not fill the log as well. */
function dropped({ logger, clock }: Shared): () => void {
  let said = Number.NEGATIVE_INFINITY;
  let count = 0;
  return () => {
    count++;
    if (clock.monotonic() - said < SAY_AGAIN_MS) return;
    said = clock.monotonic();
    logger.warn('connections were refused: too many are open', { count });
  };
}

/** For connections that are opened from now on. */
export function renewTls(server: Server, tls: ListenerTls): void {
  if (server instanceof SecureServer) server.setSecureContext(secureOptions(tls));
}

function secureOptions({ cert, key, client_ca }: ListenerTls) {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2' as const,
    handshakeTimeout: 10_000,
    ...(client_ca === undefined ? {} : { ca: client_ca, requestCert: true, rejectUnauthorized: true }),
  };
}

/** The connection is lost to HTTP: nobody knows where its next request would begin. */
function refuseBroken(shared: Shared, error: Error, socket: Duplex): void {
  const { code } = error as { code?: unknown };
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    socket.destroy();
    return;
  }
  const refusal = refusalFor(code);
  shared.count(refusal);
  if (socket.writable && !shared.connections.isAnswering(socket)) sendRawRefusal(socket, refusal);
  else socket.destroy();
}

function refusalFor(code: unknown): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? tooSlow : malformed;
}
