import { type Dispatcher, Pool } from 'undici';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

/** JSON-RPC by the shortest way there is: undici's `dispatch`, over connections that stay open. */
export class RpcClient {
  readonly #pool: Pool;
  readonly #path: string;
  #calls = 0;

  constructor(url: string, connections: number) {
    const { origin, pathname } = new URL(url);
    this.#pool = new Pool(origin, { connections, pipelining: 1 });
    this.#path = pathname;
  }

  /** The type argument is what the method is known to answer, unchecked. */
  call<Result>(method: string, params: object): Promise<Result> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#calls, method, params });
    return new Promise((resolve, reject) => {
      const request = { method: 'POST' as const, path: this.#path, headers: HEADERS, body };
      this.#pool.dispatch(request, new AnswerHandler<Result>(resolve, reject));
    });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/** The result of an answer; throws its error. */
export function resultOf<Result>(text: string): Result {
  const { result, error }: { result: Result; error?: unknown } = JSON.parse(text);
  if (error !== undefined) throw new Error(`answered with ${JSON.stringify(error)}`);
  return result;
}

class AnswerHandler<Result> implements Dispatcher.DispatchHandler {
  readonly #resolve: (result: Result) => void;
  readonly #reject: (error: unknown) => void;
  readonly #chunks: Buffer[] = [];

  constructor(resolve: (result: Result) => void, reject: (error: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(): void {}

  onResponseStart(): void {}

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    try {
      this.#resolve(resultOf<Result>(body.toString()));
    } catch (error) {
      this.#reject(error);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}
