import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { Timers } from '../../core/ports/clock.ts';
import { Drain } from './drain.ts';

/** One WebSocket as the server's side sees it. */
export interface ServerSocket {
  /** `full`: it was taken, but nothing more should come before `drained`. After the end everything is `full`. */
  send(text: string): 'sent' | 'full';
  /** Bytes that wait to be taken by the peer. */
  readonly buffered: number;
  readonly closed: boolean;
  /** Resolves when there is room again, at once if there is, and at the end of the connection. */
  drained(): Promise<void>;
  /** Called once, at once if it is closed already. */
  onClose(listener: () => void): void;
  close(code: number, reason: string): void;
}

export type AcceptedSocketParts = {
  readonly socket: WebSocket;
  /** What carries it. */
  readonly carrier: Socket;
  readonly timers: Timers;
  /** Bytes that may wait. One message may come on top: otherwise one larger than this could never be sent. */
  readonly max_buffered: number;
};

const TRY_AGAIN_LATER = 1013;
/** How long a peer that is told to go may take to hear it. */
const FAREWELL_MS = 1000;
/** So many looks in a row at the same bytes waiting, and nothing is taken any more. */
const PATIENCE = 2;

export class AcceptedSocket implements ServerSocket {
  readonly #parts: AcceptedSocketParts;
  readonly #drain: Drain;
  /** From here on senders are asked to wait, well before anybody is cut. */
  readonly #room: number;
  #taken = 0;
  #gathering = false;
  #seen = { taken: 0, read: 0, idle: 0, unheard: 0 };

  constructor(parts: AcceptedSocketParts) {
    this.#parts = parts;
    this.#drain = new Drain(parts.carrier);
    // Every subscription wants to know of the end.
    parts.socket.setMaxListeners(0);
    this.#room = Math.max(parts.carrier.writableHighWaterMark, parts.max_buffered / 4);
  }

  get buffered(): number {
    return this.#parts.socket.bufferedAmount;
  }

  get full(): boolean {
    return this.buffered > this.#room;
  }

  get closed(): boolean {
    return this.#parts.socket.readyState !== WebSocket.OPEN;
  }

  send(text: string): 'sent' | 'full' {
    const { socket, max_buffered } = this.#parts;
    if (this.closed) return 'full';
    if (socket.bufferedAmount > max_buffered) {
      this.cut('it does not read what it is sent');
      return 'full';
    }
    this.#gather();
    socket.send(text, this.#onTaken);
    return this.full ? 'full' : 'sent';
  }

  /** What is sent within one turn leaves in one piece: a call of the system for each message is what costs most. */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    this.#parts.carrier.cork();
    process.nextTick(this.#letGo);
  }

  readonly #letGo = () => {
    this.#gathering = false;
    this.#parts.carrier.uncork();
  };

  readonly #onTaken = () => {
    this.#taken++;
  };

  async drained(): Promise<void> {
    while (!this.closed && this.full) await this.#drain.wait();
  }

  onClose(listener: () => void): void {
    const { socket } = this.#parts;
    if (socket.readyState === WebSocket.CLOSED) listener();
    else socket.once('close', listener);
  }

  close(code: number, reason: string): void {
    const { socket, timers } = this.#parts;
    if (this.closed) return;
    const stop = timers.after(FAREWELL_MS, () => socket.terminate());
    socket.once('close', stop);
    // A peer whose messages are not read at the moment could not be heard to answer.
    socket.resume();
    socket.close(code, reason);
  }

  /** For a peer that costs more than it may. */
  cut(reason: string): void {
    this.close(TRY_AGAIN_LATER, reason);
  }

  terminate(): void {
    this.#parts.socket.terminate();
  }

  /** To be called now and then: asks for a sign of life, and ends what gives none or takes nothing. */
  beat(): void {
    const { socket, carrier } = this.#parts;
    const { taken, read, idle, unheard } = this.#seen;
    const stuck = socket.bufferedAmount > 0 && taken === this.#taken;
    const silent = carrier.bytesRead === read && !socket.isPaused;
    this.#seen = {
      taken: this.#taken,
      read: carrier.bytesRead,
      idle: stuck ? idle + 1 : 0,
      unheard: silent ? unheard + 1 : 0,
    };
    if (this.#seen.idle >= PATIENCE) this.cut('it does not read what it is sent');
    else if (this.#seen.unheard >= PATIENCE) socket.terminate();
    else if (!this.closed) socket.ping();
  }
}
