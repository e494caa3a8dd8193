import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Random } from '../../core/ports/random.ts';
import type { Credentials, Shown } from '../credentials.ts';
import { type Backoff, backoffMs } from './backoff.ts';
import { Drain } from './drain.ts';
import { closedBy, handshakeRefused, linkClosed, socketError, unreachable } from './failure.ts';
import { heartbeat } from './heartbeat.ts';
import { bytesOfMessage } from './message.ts';

export type LinkParts = {
  /** Whom errors name. */
  readonly peer: string;
  readonly connect: (shown: Shown | null) => WebSocket;
  /** Asked for before each connection; null where the peer wants to see none. */
  readonly credentials: Credentials | null;
  readonly connect_timeout_ms: number;
  readonly ping_ms: number;
  readonly backoff: Backoff;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  readonly received: (message: Uint8Array) => void;
  /** An open connection is gone. */
  readonly cut: (error: GleitzeitError) => void;
  readonly connected: () => void;
};

export type OpenSocket = { readonly socket: WebSocket; readonly carrier: Socket; readonly drain: Drain };

/**
 * resting ── open() ──▶ preparing ── connect ──▶ connecting ── opened ──▶ open
 *                        ▲  ▲  │                   │    │                  │
 *                        │  └──│──── refused ──────┘    │                  │
 *                    try │     └──────── ended ─────────┴──────────────────┤
 *                        │                                                 ▼
 *                        ├── over, and somebody waits ──────────────── pausing
 *                        │                                                 │ over, and nobody waits
 *                        │                                                 ▼
 *                        └── over, or open() ───────────────────────── backing_off
 *
 * close(): from every state ──▶ closed. Without credentials there is nothing to prepare.
 *
 * The pause is as short as the first of the back-off, and cannot be shortened: all calls to a peer that is down share one
 * try in that time. Only what nobody waits for backs off for longer. How often a peer that is down is called is decided by
 * whoever calls: to let a call wait for more would make a missing connection look like a missing answer.
 */
type State =
  | { readonly is: 'resting' }
  | { readonly is: 'preparing'; readonly stop: () => void }
  | { readonly is: 'connecting'; readonly socket: WebSocket }
  | { readonly is: 'open'; readonly open: OpenSocket; readonly stopBeating: () => void }
  | { readonly is: 'pausing' | 'backing_off'; readonly stop: () => void }
  | { readonly is: 'closed' };

/** Keeps one connection to one peer: made when first asked for, and made again whenever it is gone. */
export class Link {
  readonly #parts: LinkParts;
  #state: State = { is: 'resting' };
  #failures = 0;
  #next = nextConnection();

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  /** The connection, if it is there at this moment. */
  get now(): OpenSocket | null {
    const state = this.#state;
    return state.is === 'open' && state.open.socket.readyState === WebSocket.OPEN ? state.open : null;
  }

  /** The connection as soon as it is there; brings the next attempt forward, and rejects when that fails. */
  open(): Promise<OpenSocket> {
    const { now } = this;
    if (now !== null) return Promise.resolve(now);
    if (this.#state.is === 'closed') return Promise.reject(linkClosed(this.#parts.peer));
    const next = this.#next;
    next.awaited = true;
    if (this.#state.is === 'backing_off') this.#state.stop();
    if (this.#state.is === 'backing_off' || this.#state.is === 'resting') this.#try();
    return next.promise;
  }

  async close(): Promise<void> {
    const before = this.#state;
    this.#state = { is: 'closed' };
    this.#next.reject(linkClosed(this.#parts.peer));
    if ('stop' in before) before.stop();
    if (before.is === 'open') before.stopBeating();
    if (before.is === 'connecting') await farewell(before.socket, this.#parts.timers);
    if (before.is === 'open') await farewell(before.open.socket, this.#parts.timers);
  }

  /** `again`: what was shown before was refused; what is shown now is not replaced once more. */
  #try(again = false): void {
    const { credentials, peer } = this.#parts;
    if (credentials === null) {
      this.#connect(null, again);
      return;
    }
    const end = new AbortController();
    this.#state = { is: 'preparing', stop: () => end.abort(linkClosed(peer)) };
    const show = async () => credentials.show(end.signal);
    show().then(
      (shown) => this.#connect(shown, again),
      (thrown) => this.#ended(GleitzeitError.from(thrown, 'GLZ2001')),
    );
  }

  #connect(shown: Shown | null, again: boolean): void {
    if (this.#state.is === 'closed') return;
    try {
      const socket = this.#parts.connect(shown);
      this.#state = { is: 'connecting', socket };
      this.#watch(socket, () => !again && shown !== null && this.#parts.credentials?.refused(shown) === true);
    } catch (thrown) {
      this.#ended(GleitzeitError.from(thrown, 'GLZ1012'));
    }
  }

  /** `mayRepeat`: hears that what was shown is refused, and says whether something else can be shown at once. */
  #watch(socket: WebSocket, mayRepeat: () => boolean): void {
    const { peer, timers, connect_timeout_ms, received } = this.#parts;
    let why: GleitzeitError | null = null;
    let carrier: Socket | null = null;
    let repeat = false;
    const blame = (error: GleitzeitError) => {
      why ??= error;
    };
    const stopWaiting = timers.after(connect_timeout_ms, () => {
      blame(unreachable(peer, connect_timeout_ms));
      socket.terminate();
    });
    socket.on('upgrade', (response: IncomingMessage) => {
      carrier = response.socket;
    });
    socket.on('unexpected-response', (_, response: IncomingMessage) => {
      repeat = response.statusCode === 401 && mayRepeat();
      blame(handshakeRefused(peer, response));
      socket.terminate();
    });
    socket.on('error', (error) => blame(socketError(error, peer)));
    socket.on('open', () => {
      stopWaiting();
      if (carrier !== null) this.#opened({ socket, carrier, drain: new Drain(carrier) }, blame);
    });
    socket.on('message', (message) => {
      this.#failures = 0;
      received(bytesOfMessage(message));
    });
    socket.on('close', (code, reason) => {
      stopWaiting();
      if (repeat && this.#state.is !== 'closed') this.#try(true);
      else this.#ended(why ?? closedBy(peer, code, reason.toString()));
    });
  }

  #opened(open: OpenSocket, blame: (error: GleitzeitError) => void): void {
    const { peer, timers, ping_ms, connected } = this.#parts;
    const silent = () => {
      blame(new GleitzeitError('GLZ2002', `${peer} is silent: it does not even answer pings`));
      open.socket.terminate();
    };
    const stopBeating = heartbeat({ ...open, timers, every_ms: ping_ms, silent });
    this.#state = { is: 'open', open, stopBeating };
    this.#next.resolve(open);
    this.#next = nextConnection();
    connected();
  }

  #ended(error: GleitzeitError): void {
    const before = this.#state;
    if (before.is === 'closed') return;
    const { random, backoff, logger, peer } = this.#parts;
    const chance = random.next();
    const pause_ms = backoffMs(backoff, 0, chance);
    const wait_ms = backoffMs(backoff, this.#failures++, chance);
    this.#pause(pause_ms, wait_ms - pause_ms);
    logger.debug('no connection', { peer, error: error.message, again_in_ms: wait_ms });
    if (before.is === 'open') {
      before.stopBeating();
      this.#parts.cut(error);
      return;
    }
    const failed = this.#next;
    this.#next = nextConnection();
    failed.reject(error);
  }

  /** `rest_ms`: how much longer it takes where nobody waits. */
  #pause(pause_ms: number, rest_ms: number): void {
    const { timers } = this.#parts;
    const over = () => {
      if (this.#next.awaited || rest_ms === 0) this.#try();
      else this.#state = { is: 'backing_off', stop: timers.after(rest_ms, () => this.#try()) };
    };
    this.#state = { is: 'pausing', stop: timers.after(pause_ms, over) };
  }
}

/** `awaited`: whether anybody has asked for it. */
type Next = PromiseWithResolvers<OpenSocket> & { awaited: boolean };

/** Nobody may be waiting for it, so its rejection must not count as unheard. */
function nextConnection(): Next {
  const deferred = Promise.withResolvers<OpenSocket>();
  deferred.promise.catch(() => {});
  return { ...deferred, awaited: false };
}

const FAREWELL_MS = 1000;

/** Says goodbye, and does not insist on an answer. */
function farewell(socket: WebSocket, timers: Timers): Promise<void> {
  if (socket.readyState === WebSocket.CLOSED) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = timers.after(FAREWELL_MS, () => socket.terminate());
    socket.once('close', () => {
      stop();
      resolve();
    });
    socket.close(1000);
  });
}
