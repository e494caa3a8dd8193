import type { Dispatcher } from 'undici';
import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import { givenUp } from '../correlate.ts';
import { carrierError } from './failure.ts';

export type HttpResponse = {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
};

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Reads an answer piece by piece. */
export type AnswerStream = {
  /** The message that answers the call, once it is there. */
  push(chunk: Uint8Array): string | null;
  /** The stream has ended: what an unfinished line holds. */
  end(): string | null;
  /** For a stream that does not end with its answer. */
  readonly timers: Timers;
};

export type ExchangeRequest = {
  /** POST unless given. */
  readonly method?: string;
  readonly path: string;
  readonly body: string | Uint8Array | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | null;
  readonly max_bytes: number;
  /** Whom errors name. */
  readonly peer: string;
  /** How to read an answer that comes in messages; null where it comes in one piece. */
  readonly stream?: ((headers: ResponseHeaders) => AnswerStream | null) | undefined;
};

/** One request and its whole answer. Everything that is not an answer rejects with an error of ours. */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    if (signal?.aborted === true) return reject(givenUp(signal));
    const handler = new ExchangeHandler(request, resolve, reject);
    listenTo(signal, handler);
    const { method = 'POST', path, body, headers } = request;
    dispatcher.dispatch({ method, path, body, headers }, handler);
  });
}

/**
 * A function and not the handler itself: around an object Node puts a closure that V8 makes old at once, and what an old closure
 * leads to, here the whole exchange, outlives it until the next collection of everything.
 */
function listenTo(signal: AbortSignal | null, handler: ExchangeHandler): void {
  if (signal === null) return;
  const give = () => handler.giveUp();
  signal.addEventListener('abort', give);
  handler.stopListening(() => signal.removeEventListener('abort', give));
}

const EMPTY = Buffer.alloc(0);
/** How long a service may take to end a stream after its answer. An end keeps the connection, which breaking off does not. */
const LINGER_MS = 1000;

/** What undici tells of one exchange. */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #request: ExchangeRequest;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: GleitzeitError) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: ResponseHeaders = {};
  #body: Buffer = EMPTY;
  #more: Buffer[] | null = null;
  #stream: AnswerStream | null = null;
  #received = 0;
  #over = false;
  #stopListening: (() => void) | null = null;
  #stopLingering: (() => void) | null = null;

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
    const { method, max_bytes, stream } = this.#request;
    if (status === 200) this.#stream = stream?.(headers) ?? null;
    // An answer to HEAD says how large it would be, and does not come.
    if (method !== 'HEAD' && Number(headers['content-length']) > max_bytes)
      this.#breakOff(tooLarge(this.#request));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#received += chunk.length;
    if (this.#stream !== null) this.#readOn(controller, this.#stream, chunk);
    else if (this.#received > this.#request.max_bytes) this.#breakOff(tooLarge(this.#request));
    else if (this.#more !== null) this.#more.push(chunk);
    else if (this.#body === EMPTY) this.#body = chunk;
    else this.#more = [this.#body, chunk];
  }

  onResponseEnd(): void {
    if (this.#stream !== null) this.#streamEnded(this.#stream);
    if (!this.#finish()) return;
    const body = this.#more === null ? this.#body : Buffer.concat(this.#more);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.#stopLingering?.();
    if (this.#finish()) this.#reject(carrierError(error, this.#request.peer));
  }

  stopListening(stop: () => void): void {
    this.#stopListening = stop;
  }

  giveUp(): void {
    const { signal } = this.#request;
    if (signal !== null) this.#breakOff(givenUp(signal));
  }

  /** Each message is bounded, and the stream by the patience of whoever waits. Nothing is read past the answer. */
  #readOn(controller: Dispatcher.DispatchController, stream: AnswerStream, chunk: Buffer): void {
    try {
      if (this.#over) endAnswered(controller);
      else if (this.#answered(stream.push(chunk)))
        this.#stopLingering = stream.timers.after(LINGER_MS, () => endAnswered(controller));
    } catch (thrown) {
      this.#breakOff(GleitzeitError.from(thrown, 'GLZ2005'));
    }
  }

  #streamEnded(stream: AnswerStream): void {
    this.#stopLingering?.();
    try {
      if (!this.#over) this.#answered(stream.end());
      if (this.#finish()) this.#reject(endedEarly(this.#request));
    } catch (thrown) {
      this.#breakOff(GleitzeitError.from(thrown, 'GLZ2005'));
    }
  }

  #answered(message: string | null): boolean {
    if (message === null || !this.#finish()) return false;
    this.#resolve({ status: this.#status, headers: this.#headers, body: Buffer.from(message) });
    return true;
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
    this.#stopListening?.();
    return true;
  }
}

function endAnswered(controller: Dispatcher.DispatchController): void {
  controller.abort(new Error('the call is answered'));
}

function endedEarly({ peer }: Pick<ExchangeRequest, 'peer'>): GleitzeitError {
  return new GleitzeitError('GLZ2002', `${peer} ended its stream of messages before it answered`);
}

export function tooLarge({ max_bytes, peer }: Pick<ExchangeRequest, 'max_bytes' | 'peer'>): GleitzeitError {
  return new GleitzeitError('GLZ2005', `the answer of ${peer} is larger than ${max_bytes} bytes`);
}
