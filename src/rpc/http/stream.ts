import type { Dispatcher } from 'undici';
import type { GleitzeitError } from '../../core/errors.ts';
import { givenUp } from '../correlate.ts';
import { type ExchangeRequest, type ResponseHeaders, tooLarge } from './exchange.ts';
import { carrierError } from './failure.ts';

/** An answer that is read while it arrives. */
export type WebStream = {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** To be read once. Rejects with an error of ours where the answer breaks off. */
  readonly body: AsyncIterable<Buffer>;
  /** The rest is not wanted. Safe to repeat; whoever reads comes to an end. */
  cancel(): void;
};

/** So much is held for a reader that takes its time; past it the service has to wait. */
const HELD = 256 * 1024;

/** One request and an answer that may take for ever: it ends with its signal, with `cancel`, or by itself. */
export function openStream(dispatcher: Dispatcher, request: ExchangeRequest): Promise<WebStream> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    if (signal?.aborted === true) return reject(givenUp(signal));
    const handler = new StreamHandler(request, resolve, reject);
    signal?.addEventListener('abort', handler);
    const { method = 'GET', path, body, headers } = request;
    dispatcher.dispatch({ method, path, body, headers, headersTimeout: 0, bodyTimeout: 0 }, handler);
  });
}

type End = { readonly error: GleitzeitError | null };

class StreamHandler implements Dispatcher.DispatchHandler, AsyncIterator<Buffer> {
  readonly #request: ExchangeRequest;
  readonly #resolve: (stream: WebStream) => void;
  readonly #reject: (error: GleitzeitError) => void;
  readonly #held: Buffer[] = [];
  #size = 0;
  #received = 0;
  #controller: Dispatcher.DispatchController | null = null;
  #begun = false;
  #end: End | null = null;
  #wake: (() => void) | null = null;

  constructor(
    request: ExchangeRequest,
    resolve: (stream: WebStream) => void,
    reject: (error: GleitzeitError) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#end !== null) controller.abort(new Error('given up before it was sent'));
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return;
    this.#begun = true;
    const body = { [Symbol.asyncIterator]: () => this };
    this.#resolve({ status, headers, body, cancel: () => this.#breakOff(null) });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#end !== null) return;
    this.#received += chunk.length;
    if (this.#received > this.#request.max_bytes) {
      this.#breakOff(tooLarge(this.#request));
      return;
    }
    this.#held.push(chunk);
    this.#size += chunk.length;
    if (this.#size > HELD) controller.pause();
    this.#wake?.();
  }

  onResponseEnd(): void {
    this.#finish({ error: null });
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.#finish({ error: carrierError(error, this.#request.peer) });
  }

  /** The signal. */
  handleEvent(): void {
    const { signal } = this.#request;
    if (signal !== null) this.#breakOff(givenUp(signal));
  }

  async next(): Promise<IteratorResult<Buffer>> {
    for (;;) {
      const value = this.#held.shift();
      if (value !== undefined) {
        this.#size -= value.length;
        if (this.#size <= HELD && this.#controller?.paused === true) this.#controller.resume();
        return { done: false, value };
      }
      if (this.#end !== null) {
        if (this.#end.error !== null) throw this.#end.error;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<Buffer>> {
    this.#breakOff(null);
    return { done: true, value: undefined };
  }

  #breakOff(error: GleitzeitError | null): void {
    if (this.#end !== null) return;
    this.#held.length = 0;
    this.#finish({ error });
    this.#controller?.abort(error ?? new Error('the rest is not wanted'));
  }

  #finish(end: End): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.#request.signal?.removeEventListener('abort', this);
    if (!this.#begun && end.error !== null) this.#reject(end.error);
    this.#wake?.();
  }
}
