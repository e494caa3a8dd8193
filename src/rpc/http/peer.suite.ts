import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { GleitzeitError } from '../../core/errors.ts';

export type Peer = {
  readonly url: string;
  readonly port: number;
  /** Connections accepted so far, the closed ones too. */
  readonly sockets: readonly Socket[];
  close(): Promise<void>;
};

const opened: Peer[] = [];

/** For `afterEach`: ends every peer of the test that just ran. */
export async function closePeers(): Promise<void> {
  await Promise.all(opened.splice(0).map((peer) => peer.close()));
}

/** An HTTP server on loopback that answers as the test says. */
export function httpPeer(answer: RequestListener): Promise<Peer> {
  return listening(createServer(answer), 'http');
}

export function httpsPeer(options: ServerOptions, answer: RequestListener): Promise<Peer> {
  return listening(createSecureServer(options, answer), 'https');
}

/** A TCP server on loopback, for what an HTTP server would never do. */
export function tcpPeer(talk: (socket: Socket) => void): Promise<Peer> {
  return listening(createTcpServer(talk), 'http');
}

async function listening(server: Server, scheme: string): Promise<Peer> {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP listener without a port');
  const close = async () => {
    if (!server.listening) return;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  const peer = { url: `${scheme}://127.0.0.1:${address.port}/rpc`, port: address.port, sockets, close };
  opened.push(peer);
  return peer;
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Answers a call with its own params. */
export async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id, params } = JSON.parse(await bodyOf(request));
  respond(response, 200, { jsonrpc: '2.0', id, result: params ?? null });
}

export function respond(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
}

/** The error of ours that a call rejects with; anything else is a failure of the test. */
export async function rejectionOf(call: Promise<unknown>): Promise<GleitzeitError> {
  try {
    await call;
  } catch (thrown) {
    if (thrown instanceof GleitzeitError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}
