import { connect } from 'node:net';
import { GleitzeitError } from '../core/errors.ts';
import { frameReader } from '../rpc/stdio/frame-reader.ts';
import { frame } from '../rpc/stdio/framing.ts';
import type { Pipe, PipeReceiver } from '../sdk/pipe.ts';
import { MAX_MESSAGE } from './unix-socket.ts';

const SCHEME = 'unix:';

/** The path in an address such as `unix:/home/ann/.gleitzeit/store.db.sock`; null for any other address. */
export function socketPathOf(address: string): string | null {
  return address.startsWith(SCHEME) ? address.slice(SCHEME.length) : null;
}

export function socketAddress(path: string): string {
  return `${SCHEME}${path}`;
}

/** Opens a pipe to the process that listens on a socket (see unix-socket.ts). */
export function openUnixPipe(path: string, receiver: PipeReceiver): Promise<Pipe> {
  const { promise, resolve, reject } = Promise.withResolvers<Pipe>();
  const socket = connect(path);
  let ended = false;
  const lose = (reason: string) => {
    socket.destroy();
    if (ended) return;
    ended = true;
    receiver.closed(reason);
  };
  const reader = frameReader({
    framing: 'headers',
    max_message: MAX_MESSAGE,
    sink: {
      message: (bytes) => {
        if (!ended) receiver.message(Buffer.from(bytes).toString());
      },
      refused: (_, reason) => lose(`a message ${reason}`),
      broken: lose,
    },
  });
  const refused = (error: Error) => reject(unreachable(path, error));
  socket.once('error', refused);
  socket.once('connect', () => {
    socket.off('error', refused);
    socket.on('error', (error) => lose(error.message));
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.once('close', () => lose('the other process ended the connection'));
    resolve({
      send: (text) => void socket.write(frame(text, 'headers')),
      close: () => {
        ended = true;
        socket.end();
      },
    });
  });
  return promise;
}

function unreachable(path: string, error: Error): GleitzeitError {
  return new GleitzeitError('GLZ2002', `cannot reach the process that listens on ${path}`, {
    reason: error.message,
  });
}
