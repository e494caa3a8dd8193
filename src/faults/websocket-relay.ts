import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Way } from './carry-out.ts';
import { type FaultProxyParts, type Outward, ofOneConnection } from './proxy-parts.ts';
import { Relay } from './relay.ts';
import { FrameSplitter, textFrame } from './websocket-frames.ts';
import { wrongText } from './wrong-text.ts';

type RelayParts = Omit<FaultProxyParts, 'target' | 'tls'> & { readonly outward: Outward };

type Handshake = { readonly asked: IncomingMessage; readonly socket: Socket; readonly head: Buffer };

/** Opens the same WebSocket at the service. What the service says meets the plans, message by message. */
export function relayWebSocket(parts: RelayParts, { asked, socket, head }: Handshake): void {
  const made = parts.outward(asked);
  socket.once('close', () => made.destroy());
  // Whoever gives up says no more than that: this end stays open for what the service says, of which there is nothing yet.
  const giveUp = () => void socket.destroy();
  socket.once('end', giveUp);
  made.once('error', (error) => {
    if (!socket.destroyed) parts.failed(error);
    socket.destroy();
  });
  made.once('upgrade', (said, service: Socket, first: Buffer) => {
    service.on('error', () => {});
    socket.off('end', giveUp);
    if (socket.destroyed) service.destroy();
    else join(parts, { socket, service, opening: headText(said), first });
    service.write(head);
  });
  // No WebSocket after all: that is told as it was said.
  made.once('response', (said) => {
    socket.write(headText(said, ofOneConnection));
    said.on('error', () => socket.destroy());
    said.pipe(socket);
  });
  made.end();
}

type Ends = {
  readonly socket: Socket;
  readonly service: Socket;
  readonly opening: string;
  readonly first: Buffer;
};

function join(parts: RelayParts, { socket, service, opening, first }: Ends): void {
  const relay = new Relay({
    ...parts,
    way: wayOf(socket),
    crowded: (is) => void (is ? service.pause() : service.resume()),
  });
  const splitter = new FrameSplitter(parts.max_answer, {
    message: ({ bytes, payload }) =>
      relay.push({ bytes, wrong: (how) => textFrame(wrongText(how, payload.toString())) }),
    control: (bytes) => relay.pass(bytes),
    tooLarge: () => socket.destroy(),
  });
  const greeting = Buffer.from(opening);
  relay.push({ bytes: greeting, wrong: () => greeting });
  splitter.push(first);
  service.on('data', (chunk: Buffer) => splitter.push(chunk));
  socket.pipe(service);
  service.once('close', () => void relay.rest().then(() => socket.end()));
  socket.once('close', () => {
    relay.end();
    service.destroy();
  });
}

function wayOf(socket: Socket): Way {
  return {
    begin: () => {},
    write: (piece) =>
      new Promise((resolve) => {
        socket.once('close', resolve);
        socket.write(piece, () => {
          socket.off('close', resolve);
          resolve();
        });
      }),
    done: () => {},
    cut: () => void socket.destroy(),
    reset: () => void socket.resetAndDestroy(),
  };
}

/** The head of an answer as it came, but for what is left out. */
function headText(said: IncomingMessage, without: ReadonlySet<string> = new Set()): string {
  const { statusCode, statusMessage, rawHeaders } = said;
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!without.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
