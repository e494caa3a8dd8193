import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Dispatch } from '../dispatch.ts';
import { idInHead } from '../id-in-head.ts';
import { errorText } from '../messages.ts';
import type { RpcPolicy } from '../policy.ts';
import { bytesOfMessage } from '../websocket/message.ts';
import { AcceptedSocket } from '../websocket/server-socket.ts';
import { SOCKET_WAITS } from './limits.ts';
import { Places } from './places.ts';
import type { Caller, Connection } from './route.ts';
import type { Lasting, Shared } from './shared.ts';

export type SessionParts = {
  readonly shared: Shared;
  readonly socket: WebSocket;
  readonly carrier: Socket;
  readonly caller: Omit<Connection, 'socket'>;
  readonly dispatch: Dispatch<Connection>;
  /** What answers from `quiet` on. */
  readonly refusing: Dispatch<Connection>;
  readonly policy: RpcPolicy;
};

/** A message, or what is said to one that is refused unread. */
type Arrived = { readonly message: Uint8Array; readonly refused: string | null };

const GOING_AWAY = 1001;
const TEXT_ONLY = 1003;
const POLICY = 1008;
/** Head and mask of a short frame from a client. */
const FRAME_HEAD = 6;
/** So much of a message that is refused is looked through for whose it is. */
const LOOKED_THROUGH = 4096;
const NOTHING = new Uint8Array();

/** One WebSocket from its opening to its end: messages in, answers out, and no more of either than is allowed. */
export class SocketSession implements Lasting {
  readonly #parts: SessionParts;
  readonly #accepted: AcceptedSocket;
  readonly #connection: Connection;
  readonly #gone = new AbortController();
  /** Messages that were in the same packet as the last one there was room for. */
  readonly #waiting: Arrived[] = [];
  readonly #places: Places;
  #finishing = false;
  #partial = 0;
  #partialSince = 0;

  get caller(): Caller {
    return this.#parts.caller.caller;
  }

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { shared, socket, carrier, caller } = parts;
    const max_buffered = shared.limits.socket_buffer;
    this.#accepted = new AcceptedSocket({ socket, carrier, timers: shared.timers, max_buffered });
    this.#connection = { ...caller, socket: this.#accepted };
    const limit = shared.limits.socket_messages;
    this.#places = new Places({ limit, waits: SOCKET_WAITS, freed: () => this.#next() });
    shared.sockets.add(this);
    const stopBeating = shared.pulse.add(() => this.#beat());
    carrier.prependListener('data', (chunk: Buffer) => this.#receiving(chunk.length));
    socket.on('message', (message, binary) => this.#received(bytesOfMessage(message), binary));
    socket.on('ping', (data) => this.#arrived(FRAME_HEAD + data.length));
    socket.on('pong', (data) => this.#arrived(FRAME_HEAD + data.length));
    socket.on('error', (error) => shared.logger.debug('a WebSocket failed', { error: error.message }));
    socket.once('close', () => {
      stopBeating();
      this.#arrived(this.#partial);
      for (const { message } of this.#waiting.splice(0)) shared.held.give(message.length);
      shared.sockets.delete(this);
      this.#places.end();
      this.#gone.abort();
      shared.settled();
    });
  }

  /** Ends when its last answer is sent. */
  finish(): void {
    this.#finishing = true;
    if (this.#places.idle) this.#accepted.close(GOING_AWAY, 'the server is stopping');
  }

  destroy(): void {
    this.#accepted.terminate();
  }

  #beat(): void {
    const { shared } = this.#parts;
    const late = shared.clock.monotonic() - this.#partialSince > shared.limits.request_ms;
    if (this.#partial > 0 && late) this.#accepted.close(POLICY, 'a message did not arrive in time');
    this.#accepted.beat();
  }

  /** Bytes of a message that is not whole yet count like those of a body. */
  #receiving(bytes: number): void {
    const { shared } = this.#parts;
    if (this.#accepted.closed) return;
    if (this.#partial === 0) this.#partialSince = shared.clock.monotonic();
    if (shared.held.take(bytes, this.#partial)) this.#partial += bytes;
    else {
      this.#accepted.cut('the messages of all connections are too large together');
      // It may hear that, but nothing more of it is read.
      this.#parts.socket.pause();
    }
  }

  #arrived(bytes: number): void {
    const given = Math.min(bytes, this.#partial);
    this.#parts.shared.held.give(given);
    this.#partial -= given;
  }

  #received(message: Uint8Array, binary: boolean): void {
    this.#arrived(this.#partial);
    if (this.#accepted.closed) return;
    const { shared, policy } = this.#parts;
    if (binary && policy.unread === undefined) {
      this.#accepted.close(TEXT_ONLY, 'messages are text');
      return;
    }
    const refused = this.#refusal(message, binary);
    const arrived = refused === null ? { message, refused } : { message: NOTHING, refused };
    shared.held.add(arrived.message.length);
    if (this.#places.free) void this.#work(arrived);
    else {
      this.#waiting.push(arrived);
      this.#parts.socket.pause();
    }
  }

  /** Others of the connection wait for answers of theirs, so what is too large is told by its id where that can be seen. */
  #refusal(message: Uint8Array, binary: boolean): string | null {
    const { shared, policy } = this.#parts;
    const { unread } = policy;
    if (unread === undefined) return null;
    if (binary) return errorText('null', JSON.stringify(unread.binary));
    if (message.length <= shared.limits.body_bytes) return null;
    const id = idInHead(message.subarray(0, LOOKED_THROUGH)) ?? null;
    return errorText(JSON.stringify(id), JSON.stringify(unread.too_large));
  }

  async #work({ message, refused }: Arrived): Promise<void> {
    const { shared, dispatch, refusing } = this.#parts;
    const place = this.#places.take();
    const later: (() => void)[] = [];
    const afterAnswer = (then: () => void) => void later.push(then);
    const connection = { ...this.#connection, afterAnswer, aside: place.aside };
    const answering = shared.quiet ? refusing : dispatch;
    const text = refused ?? (await answering.handle(message, connection, this.#gone.signal)).text;
    if (text !== null) await this.#answer(text);
    for (const then of later) then();
    shared.held.give(message.length);
    place.leave();
  }

  /** Whoever does not take its answers gets no further ones, and so is soon asked nothing more. */
  async #answer(text: string): Promise<void> {
    const { held } = this.#parts.shared;
    // Looked at anew each time: others that waited may have filled it again.
    while (this.#accepted.full && !this.#accepted.closed) {
      held.add(text.length);
      await this.#accepted.drained();
      held.give(text.length);
    }
    this.#accepted.send(text);
  }

  #next(): void {
    if (this.#accepted.closed) return;
    const arrived = this.#waiting.shift();
    if (arrived !== undefined) void this.#work(arrived);
    else if (this.#finishing && this.#places.idle) this.finish();
    else if (this.#parts.socket.isPaused) this.#parts.socket.resume();
  }
}
