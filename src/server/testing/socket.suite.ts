import type { ServerSocket } from '../../rpc/websocket/server-socket.ts';

/** A WebSocket in the hands of the test: it is full when so many messages wait, until the test takes them. */
export class TestSocket implements ServerSocket {
  readonly sent: string[] = [];
  closed = false;
  #room: number;
  readonly #capacity: number;
  #drained: (() => void)[] = [];
  readonly #closing: (() => void)[] = [];

  constructor(capacity = Number.POSITIVE_INFINITY) {
    this.#capacity = capacity;
    this.#room = capacity;
  }

  get buffered(): number {
    return this.#capacity - this.#room;
  }

  send(text: string): 'sent' | 'full' {
    if (this.closed) return 'full';
    this.sent.push(text);
    this.#room--;
    return this.#room > 0 ? 'sent' : 'full';
  }

  /** The peer has read everything. */
  read(): void {
    this.#room = this.#capacity;
    for (const resolve of this.#drained.splice(0)) resolve();
  }

  drained(): Promise<void> {
    if (this.#room > 0 || this.closed) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  onClose(listener: () => void): void {
    if (this.closed) listener();
    else this.#closing.push(listener);
  }

  close(): void {
    this.closed = true;
    for (const listener of this.#closing) listener();
    this.read();
  }

  /** The params of the notifications, parsed. */
  get events(): { cursor: number; event: string; subscription_id: string; task_id?: string }[] {
    return this.sent.map((text) => JSON.parse(text).params);
  }
}
