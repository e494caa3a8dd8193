import type { WebSocket } from 'ws';
import type { Channel } from '../channel.ts';
import { closePeers } from '../http/peer.suite.ts';
import { quiet } from '../testing/quiet.suite.ts';
import { systemTimers } from '../testing/timers.suite.ts';
import { type WebSocketChannelOptions, webSocketChannel } from './channel.ts';
import { type SocketPeer, socketPeer } from './peer.suite.ts';

export const random = { next: () => 1, bytes: (count: number) => new Uint8Array(count) };
const never = new AbortController().signal;
const closing: (() => Promise<void>)[] = [];

/** For `afterEach`. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
  await closePeers();
}

export function open(url: string, options: Partial<WebSocketChannelOptions> = {}): Channel {
  const channel = webSocketChannel({ url, timers: systemTimers, random, logger: quiet.logger, ...options });
  closing.push(() => channel.close());
  return channel;
}

export async function serve(talk: (socket: WebSocket) => void): Promise<SocketPeer> {
  const peer = await socketPeer(talk);
  closing.push(() => peer.close());
  return peer;
}

export function echo(socket: WebSocket): void {
  socket.on('message', (message) => {
    const { id, params } = JSON.parse(String(message));
    if (id !== undefined) socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: params ?? null }));
  });
}

export function ask(channel: Channel, id: string | number = 1, params: readonly string[] = []) {
  return channel.call({ id, method: 'ask', params, signal: never });
}
