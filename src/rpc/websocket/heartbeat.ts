import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Timers } from '../../core/ports/clock.ts';

export type HeartbeatParts = {
  readonly socket: WebSocket;
  /** What carries it: bytes that arrive are a sign of life, even in the middle of a long message. */
  readonly carrier: Socket;
  readonly timers: Timers;
  readonly every_ms: number;
  readonly silent: () => void;
};

/** Finds a peer that is gone without a word: it says nothing at all between two pings. Returns what ends it. */
export function heartbeat({ socket, carrier, timers, every_ms, silent }: HeartbeatParts): () => void {
  let read = -1;
  let stop = timers.after(every_ms, beat);
  function beat(): void {
    if (carrier.bytesRead === read) {
      silent();
      return;
    }
    read = carrier.bytesRead;
    socket.ping();
    stop = timers.after(every_ms, beat);
  }
  return () => stop();
}
