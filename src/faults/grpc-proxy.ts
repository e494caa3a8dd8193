import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { Pauses } from './carry-out.ts';
import { type AnswerLine, answerGrpc, type GrpcParts } from './grpc-answer.ts';
import { type FaultProxy, listenOnLoopback } from './listening.ts';
import type { FaultProxyParts } from './proxy-parts.ts';

/**
 * The fault proxy for a service that speaks gRPC: HTTP/2 on both sides, so that it knows where answers begin. `target` is
 * grpc: or grpcs:. Each answer meets what is planned for it; a cut or a reset ends the connection, with all calls on it.
 */
export async function openGrpcFaultProxy(parts: FaultProxyParts): Promise<FaultProxy> {
  const pauses = new Pauses(parts.timers);
  const lines = new Set<GrpcLine>();
  const server = createServer();
  let newest: Socket | null = null;
  // The session lends its socket to nobody who would end it; it is made while its connection is told of.
  server.prependListener('connection', (socket: Socket) => {
    newest = socket;
    socket.on('error', () => {});
  });
  server.on('session', (session) => {
    if (newest === null) return;
    const line = new GrpcLine({ ...parts, pauses }, session, newest);
    lines.add(line);
    session.once('close', () => {
      lines.delete(line);
      line.end();
    });
  });
  return listenOnLoopback(server, () => {
    pauses.end();
    for (const line of lines) line.end();
  });
}

/** One connection, and the one to the service that belongs to it. */
class GrpcLine implements AnswerLine {
  readonly parts: GrpcParts;
  readonly socket: Socket;
  readonly #session: ServerHttp2Session;
  #outward: ClientHttp2Session | null = null;
  silent = false;

  constructor(parts: GrpcParts, session: ServerHttp2Session, socket: Socket) {
    this.parts = parts;
    this.socket = socket;
    this.#session = session;
    session.on('error', () => {});
    session.on('stream', (stream, headers) => this.#take(stream, headers));
  }

  end(): void {
    this.#outward?.destroy();
    this.#session.destroy();
    this.socket.destroy();
  }

  #take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on('error', () => {});
    const made = this.#ask(headers);
    // Whoever gives up takes the call to the service along.
    stream.once('close', () => made.destroy());
    stream.pipe(made);
    answerGrpc(this, made, stream);
  }

  /** Makes the same request to the service, by its own name. */
  #ask(headers: IncomingHttpHeaders): ClientHttp2Stream {
    const { target, tls } = this.parts;
    const secure = target.protocol === 'grpcs:';
    if (this.#outward === null || this.#outward.closed || this.#outward.destroyed) {
      const [scheme, port] = secure ? ['https:', '443'] : ['http:', '80'];
      const address = `${scheme}//${target.hostname}:${target.port === '' ? port : target.port}`;
      this.#outward = connect(address, { ...tls?.(), ...(secure ? { minVersion: 'TLSv1.2' } : {}) });
      this.#outward.on('error', () => {});
    }
    const authority = tls?.().servername ?? target.host;
    return this.#outward.request({
      ...headers,
      ':authority': authority,
      ':scheme': secure ? 'https' : 'http',
    });
  }
}
