import type { Dispatcher } from 'undici';
import { GleitzeitError } from '../../core/errors.ts';
import { givenUp } from '../correlate.ts';
import { carrierError } from './failure.ts';

export type HttpResponse = {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
};

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export type ExchangeRequest = {
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | null;
  readonly max_bytes: number;
  /** Whom errors name. */
  readonly peer: string;
};

/** One request and its whole answer. Everything that is not an answer rejects with an error of ours. */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    if (signal?.aborted === true) return reject(givenUp(signal));
    const handler = new ExchangeHandler(request, resolve, reject);
    signal?.addEventListener('abort', handler);
    const { path, body, headers } = request;
    dispatcher.dispatch({ method: 'POST', path, body, headers }, handler);
  });
}

const EMPTY = Buffer.alloc(0);

/** Both undici's handler and the listener of the signal, so that a call costs one object. */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #request: ExchangeRequest;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: GleitzeitError) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: ResponseHeaders = {};
  #body: Buffer = EMPTY;
  #more: Buffer[] | null = null;
  #received = 0;
  #over = false;

  constructor(
    request: ExchangeRequest,
    resolve: (response: HttpResponse) => void,
    reject: (error: GleitzeitError) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) controller.abort(new Error('given up before it was sent'));
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const { max_bytes } = this.#request;
    if (Number(headers['content-length']) > max_bytes) this.#breakOff(tooLarge(this.#request));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#received += chunk.length;
    if (this.#received > this.#request.max_bytes) this.#breakOff(tooLarge(this.#request));
    else if (this.#more !== null) this.#more.push(chunk);
    else if (this.#body === EMPTY) this.#body = chunk;
    else this.#more = [this.#body, chunk];
  }

  onResponseEnd(): void {
    if (!this.#finish()) return;
    const body = this.#more === null ? this.#body : Buffer.concat(this.#more);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#finish()) this.#reject(carrierError(error, this.#request.peer));
  }

  handleEvent(): void {
    const { signal } = this.#request;
    if (signal !== null) this.#breakOff(givenUp(signal));
  }

  /** HTTP/1.1 has no other way to stop an answer than to end its connection. */
  #breakOff(error: GleitzeitError): void {
    if (!this.#finish()) return;
    this.#more = null;
    this.#body = EMPTY;
    this.#reject(error);
    this.#controller?.abort(error);
  }

  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#request.signal?.removeEventListener('abort', this);
    return true;
  }
}

function tooLarge({ max_bytes, peer }: ExchangeRequest): GleitzeitError {
  return new GleitzeitError('GLZ2005', `the answer of ${peer} is larger than ${max_bytes} bytes`);
}
