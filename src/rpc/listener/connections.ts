import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** What is known of one connection: how many of its requests are worked on, and a signal for when it is gone. */
export class ConnectionState {
  readonly signal: AbortSignal;
  working = 0;

  constructor(socket: Socket) {
    const controller = new AbortController();
    this.signal = controller.signal;
    socket.once('close', () => controller.abort());
  }
}

/** Counts the requests that are worked on, in all and by connection. */
export class Connections {
  readonly #states = new WeakMap<Duplex, ConnectionState>();
  working = 0;

  of(socket: Socket): ConnectionState {
    const known = this.#states.get(socket);
    if (known !== undefined) return known;
    const state = new ConnectionState(socket);
    this.#states.set(socket, state);
    return state;
  }

  isAnswering(socket: Duplex): boolean {
    return (this.#states.get(socket)?.working ?? 0) > 0;
  }

  begin(state: ConnectionState): void {
    state.working++;
    this.working++;
  }

  end(state: ConnectionState): void {
    state.working--;
    this.working--;
  }
}
