import { once } from 'node:events';
import { WebSocket } from 'ws';
import { resultOf } from './rpc-client.ts';

interface Message {
  readonly id?: number;
}

/** JSON-RPC over one WebSocket, one call at a time; what comes unasked goes to `heard`. */
export class RpcSocket {
  readonly #socket: WebSocket;
  #calls = 0;
  #answered: ((text: string) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  private constructor(socket: WebSocket, heard: (notification: unknown) => void) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      const message: Message = JSON.parse(text);
      if (message.id === undefined) heard(message);
      else this.#answered?.(text);
    });
    socket.on('error', (error) => this.#failed?.(error));
    socket.on('close', (code) => this.#failed?.(new Error(`the socket was closed with ${code}`)));
  }

  static async open(url: string, heard: (notification: unknown) => void = () => {}): Promise<RpcSocket> {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), { perMessageDeflate: false });
    await once(socket, 'open');
    return new RpcSocket(socket, heard);
  }

  async call<Result>(method: string, params: object): Promise<Result> {
    const answer = new Promise<string>((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
    });
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id: ++this.#calls, method, params }));
    return resultOf<Result>(await answer);
  }

  /** Says so when the server has let go of it. */
  onCut(cut: (error: Error) => void): void {
    this.#failed = cut;
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.terminate();
  }
}
