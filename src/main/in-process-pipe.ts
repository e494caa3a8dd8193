import type { Dispatch } from '../rpc/dispatch.ts';
import type { Connection } from '../rpc/listener/route.ts';
import type { ServerSocket } from '../rpc/websocket/server-socket.ts';
import type { Pipe, PipeReceiver } from '../sdk/pipe.ts';

/** So much is handed over in one turn; then whoever takes it gets a turn of its own. */
const AT_ONCE = 256;

/** The server's end of a pipe inside the process. There is no wire to fill, only a receiver to be given time. */
class InProcessSocket implements ServerSocket {
  readonly buffered = 0;
  closed = false;
  readonly #receiver: PipeReceiver;
  readonly #closing: (() => void)[] = [];
  #sent = 0;
  #turn: Promise<void> | null = null;

  constructor(receiver: PipeReceiver) {
    this.#receiver = receiver;
  }

  send(text: string): 'sent' | 'full' {
    if (this.closed) return 'full';
    this.#receiver.message(text);
    this.#sent++;
    return this.#sent % AT_ONCE === 0 ? 'full' : 'sent';
  }

  drained(): Promise<void> {
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = null;
        resolve();
      });
    });
    return this.#turn;
  }

  onClose(listener: () => void): void {
    if (this.closed) listener();
    else this.#closing.push(listener);
  }

  close(_: number, reason: string): void {
    if (this.end()) this.#receiver.closed(reason);
  }

  /** Whether it was open until now. */
  end(): boolean {
    if (this.closed) return false;
    this.closed = true;
    for (const listener of this.#closing.splice(0)) listener();
    return true;
  }
}

/** Pipes into a dispatch of this process: the same texts as over a wire, nothing is shared by reference. */
export class InProcessPipes {
  readonly #dispatch: Dispatch<Connection>;
  readonly #open = new Set<InProcessSocket>();

  constructor(dispatch: Dispatch<Connection>) {
    this.#dispatch = dispatch;
  }

  open(receiver: PipeReceiver): Pipe {
    const socket = new InProcessSocket(receiver);
    const gone = new AbortController();
    this.#open.add(socket);
    socket.onClose(() => {
      this.#open.delete(socket);
      gone.abort();
    });
    const connection: Connection = { caller: local, headers: {}, address: '', socket };
    const handle = async (text: string) => {
      const later: (() => void)[] = [];
      const afterAnswer = (then: () => void) => void later.push(then);
      const reply = await this.#dispatch.handle(text, { ...connection, afterAnswer }, gone.signal);
      if (reply.text !== null) socket.send(reply.text);
      for (const then of later) then();
    };
    return { send: (text) => void handle(text), close: () => void socket.end() };
  }

  /** Whether something is the end of one of them. */
  static isEnd(socket: ServerSocket): boolean {
    return socket instanceof InProcessSocket;
  }

  /** Ends them all. */
  close(reason: string): void {
    for (const socket of [...this.#open]) socket.close(1001, reason);
  }
}

/** Whoever may open the store's files may do everything. */
const local = { name: 'local', role: 'admin' } as const;
