import { isObject, type Json } from '../../core/json.ts';
import { MAX_JSON_DEPTH } from '../../core/limits.ts';
import { readMessage } from '../../rpc/answers.ts';
import type { CarrierError } from '../carrier.ts';
import { readRequest } from '../contract/request.ts';
import { aborted, carrierTrouble } from './trouble.ts';

type Waiting = { readonly resolve: (body: string) => void; readonly reject: (error: CarrierError) => void };

/** A body that the other zone answers without an id: there is one of these under way at a time. */
const NO_ID = '';

/**
 * Which response belongs to which request, where one connection carries many of both. A response finds its request by the
 * id; one without an id can only mean the one request under way that has none to be answered by.
 */
export class Exchanges {
  readonly #name: string;
  readonly #waiting = new Map<string, Waiting>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(name: string) {
    this.#name = name;
  }

  /** `send` may throw, or reject, while nothing was sent. */
  async open(
    body: string,
    signal: AbortSignal,
    send: (body: string) => void | Promise<void>,
  ): Promise<string> {
    const id = answeredBy(body);
    if (id !== NO_ID && !this.#waiting.has(id)) return this.#exchange(id, { body, signal, send });
    // The same id twice at once is one request that was sent again: the second waits for the first.
    const turn = this.#turn.then(() => this.#exchange(id, { body, signal, send }));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  received(body: Uint8Array | string): void {
    const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
    const id = idOf(text);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.resolve(text);
  }

  failAll(error: CarrierError): void {
    for (const [id, waiting] of this.#waiting) {
      this.#waiting.delete(id);
      waiting.reject(error);
    }
  }

  #exchange(id: string, { body, signal, send }: Sending): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    if (signal.aborted) return Promise.reject(aborted(this.#name, 'no'));
    const give = () => reject(aborted(this.#name, 'maybe'));
    signal.addEventListener('abort', give, { once: true });
    this.#waiting.set(id, { resolve, reject });
    void (async () => send(body))().catch((thrown) => reject(carrierTrouble(this.#name, thrown)));
    return promise.finally(() => {
      this.#waiting.delete(id);
      signal.removeEventListener('abort', give);
    });
  }
}

type Sending = {
  readonly body: string;
  readonly signal: AbortSignal;
  readonly send: (body: string) => void | Promise<void>;
};

function answeredBy(body: string): string {
  const read = readRequest(body);
  return ('request' in read ? read.request.id : read.refusal.id) ?? NO_ID;
}

function idOf(text: string): string {
  const read = readMessage(text, MAX_JSON_DEPTH + 2);
  const message: Json = 'value' in read ? read.value : null;
  const id = isObject(message) ? message['id'] : null;
  return typeof id === 'string' ? id : NO_ID;
}
