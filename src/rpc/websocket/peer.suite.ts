import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** A WebSocket server on loopback that says what the test says. */
export type SocketPeer = {
  readonly url: string;
  readonly server: Server;
  /** Every WebSocket so far, and what carries it. */
  readonly sockets: readonly { readonly socket: WebSocket; readonly carrier: Socket }[];
  /** The next one that connects. */
  next(): Promise<WebSocket>;
  close(): Promise<void>;
};

export async function socketPeer(talk: (socket: WebSocket) => void): Promise<SocketPeer> {
  const server = createServer();
  const sockets: { socket: WebSocket; carrier: Socket }[] = [];
  const webSockets = new WebSocketServer({ server, perMessageDeflate: false });
  webSockets.on('connection', (socket, request) => {
    sockets.push({ socket, carrier: request.socket });
    socket.on('error', () => {});
    talk(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP listener without a port');
  return {
    url: `ws://127.0.0.1:${address.port}/rpc`,
    server,
    sockets,
    next: async () => {
      const [socket] = await once(webSockets, 'connection');
      return socket;
    },
    close: async () => {
      for (const { socket } of sockets) socket.terminate();
      server.closeAllConnections();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}
