import { createServer, type Server, type Socket } from 'node:net';
import type { Logger } from '../core/ports/logger.ts';
import type { Dispatch } from '../rpc/dispatch.ts';
import { listenOn } from '../rpc/listener/addresses.ts';
import type { Connection } from '../rpc/listener/route.ts';
import { frameReader } from '../rpc/stdio/frame-reader.ts';
import { type FrameSink, frame } from '../rpc/stdio/framing.ts';
import { Drain } from '../rpc/websocket/drain.ts';
import type { ServerSocket } from '../rpc/websocket/server-socket.ts';

/** Bytes of one message. */
export const MAX_MESSAGE = 64 * 1024 * 1024;
/** From here on senders are asked to wait. */
const ROOM = 1024 * 1024;
/** Messages of one connection that are worked on at a time. */
const AT_ONCE = 256;

/** One connection on the socket, as methods see it. */
class FramedSocket implements ServerSocket {
  readonly #socket: Socket;
  readonly #drain: Drain;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#drain = new Drain(socket);
    socket.setMaxListeners(0);
  }

  get buffered(): number {
    return this.#socket.writableLength;
  }

  get closed(): boolean {
    return this.#socket.destroyed || this.#socket.writableEnded;
  }

  get full(): boolean {
    return this.buffered > ROOM;
  }

  send(text: string): 'sent' | 'full' {
    if (this.closed) return 'full';
    this.#socket.write(frame(text, 'headers'));
    return this.full ? 'full' : 'sent';
  }

  async drained(): Promise<void> {
    while (!this.closed && this.full) await this.#drain.wait();
  }

  onClose(listener: () => void): void {
    if (this.#socket.closed) listener();
    else this.#socket.once('close', listener);
  }

  close(): void {
    this.#socket.end(() => this.#socket.destroy());
  }
}

export type UnixSocketParts = {
  readonly path: string;
  readonly dispatch: Dispatch<Connection>;
  readonly logger: Logger;
};

export type UnixSocket = { close(): Promise<void> };

/**
 * The control API for other processes of the same user: JSON-RPC messages behind headers that count their bytes, on a
 * socket that only its owner may open. One that a killed process left behind is replaced.
 */
export async function listenOnSocket(parts: UnixSocketParts): Promise<UnixSocket> {
  const open = new Set<FramedSocket>();
  const server: Server = createServer((socket) => serve(parts, socket, open));
  await listenOn(server, { socket_path: parts.path });
  return {
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.close();
      return closed;
    },
  };
}

function serve({ dispatch, logger }: UnixSocketParts, socket: Socket, open: Set<FramedSocket>): void {
  const framed = new FramedSocket(socket);
  const gone = new AbortController();
  const connection: Connection = {
    caller: { name: 'local', role: 'admin' },
    headers: {},
    address: '',
    socket: framed,
  };
  let working = 0;
  const work = async (message: Uint8Array) => {
    if (++working >= AT_ONCE) socket.pause();
    const later: (() => void)[] = [];
    const afterAnswer = (then: () => void) => void later.push(then);
    const { text } = await dispatch.handle(message, { ...connection, afterAnswer }, gone.signal);
    // Whoever does not take its answers is asked nothing more.
    await framed.drained();
    if (text !== null) framed.send(text);
    for (const then of later) then();
    if (--working < AT_ONCE) socket.resume();
  };
  const broken = (reason: string) => {
    logger.debug('a connection on the socket was cut', { reason });
    socket.destroy();
  };
  const sink: FrameSink = {
    message: (bytes) => void work(bytes),
    refused: (_, reason) => broken(reason),
    broken,
  };
  const reader = frameReader({ framing: 'headers', max_message: MAX_MESSAGE, sink });
  open.add(framed);
  socket.on('data', (chunk: Buffer) => reader.push(chunk));
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    open.delete(framed);
    gone.abort();
  });
}
