import { isObject, type Json } from '../../core/json.ts';
import { MAX_JSON_DEPTH } from '../../core/limits.ts';
import { readMessage } from '../../rpc/answers.ts';
import { idInHead } from '../../rpc/id-in-head.ts';
import { CarrierError } from '../carrier.ts';
import { readRequest } from '../contract/request.ts';
import { aborted, carrierTrouble } from './trouble.ts';

/** `wanted` says whether anybody still waits: a connection may take its time. */
type Send = (body: string, wanted: () => boolean) => void | Promise<void>;

type Waiting = {
  readonly body: string;
  readonly send: Send;
  readonly resolve: (body: string) => void;
  readonly reject: (error: CarrierError) => void;
};

/** What is under way by one id: a request, who waits for its response, and who waits for the id. */
type UnderWay = {
  readonly body: string;
  readonly waiting: Set<Waiting>;
  readonly behind: Set<Waiting>;
};

/** A body that the other zone answers without an id: there is one of these under way at a time. */
const NO_ID = '';
/** So much of a request is looked through for an id. */
const HEAD = 4096;

/**
 * Which response belongs to which request, where one connection carries many of both. A response finds its request by the
 * id. The same request sent twice at once goes out once, and all who sent it hear the response; another body under the
 * same id, or without any, goes out when the one before it is answered or given up.
 */
export class Exchanges {
  readonly #name: string;
  readonly #underWay = new Map<string, UnderWay>();
  /** Bytes of the largest request that was given up on this connection: the other side may still choke on it. */
  #largestGivenUp = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** `send` may throw, or reject, while nothing was sent. */
  async open(body: string, signal: AbortSignal, send: Send): Promise<string> {
    if (signal.aborted) throw aborted(this.#name, 'no');
    const id = answeredBy(body);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const waiting: Waiting = { body, send, resolve, reject };
    const giveUp = () => this.#giveUp(id, waiting);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#enter(id, waiting);
    return promise.finally(() => signal.removeEventListener('abort', giveUp));
  }

  received(body: Uint8Array | string): void {
    const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
    for (const { resolve } of this.#end(this.#meantBy(text))) resolve(text);
  }

  /** A response came that is not taken. Null where it does not say whose it is, which can only be told of one alone. */
  refused(id: string | null, error: CarrierError): void {
    const meant = id ?? this.#only;
    if (meant === null) this.failAll(mayComeAgain(error));
    else for (const { reject } of this.#end(meant)) reject(error);
  }

  /** The connection is gone. */
  failAll(error: CarrierError): void {
    this.#failEach(error, () => error);
  }

  /**
   * The connection is gone because a request was too large for the other side, which does not say which one. The largest
   * of them was, and was not run; the others may be sent again.
   */
  failLargest(error: CarrierError): void {
    const sizes = [...this.#underWay.values()].map(({ body }) => Buffer.byteLength(body));
    const largest = Math.max(...sizes, this.#largestGivenUp + 1);
    const others = mayComeAgain(error);
    this.#failEach(others, (body) => (Buffer.byteLength(body) === largest ? error : others));
  }

  #failEach(behindError: CarrierError, errorFor: (body: string) => CarrierError): void {
    this.#largestGivenUp = 0;
    const all = [...this.#underWay.values()];
    this.#underWay.clear();
    for (const { body, waiting, behind } of all) {
      const error = errorFor(body);
      for (const { reject } of waiting) reject(error);
      for (const { reject } of behind) reject(notSent(behindError));
    }
  }

  #enter(id: string, newcomer: Waiting): void {
    const known = this.#underWay.get(id);
    if (known !== undefined) {
      (known.body === newcomer.body ? known.waiting : known.behind).add(newcomer);
      return;
    }
    const { body, send } = newcomer;
    const underWay: UnderWay = { body, waiting: new Set([newcomer]), behind: new Set() };
    this.#underWay.set(id, underWay);
    const wanted = () => this.#underWay.get(id) === underWay;
    void (async () => send(body, wanted))().catch((thrown) => {
      if (wanted()) for (const { reject } of this.#end(id)) reject(carrierTrouble(this.#name, thrown));
    });
  }

  /** Who waited for it. Whoever stood behind goes next. */
  #end(id: string): Iterable<Waiting> {
    const ended = this.#underWay.get(id);
    this.#underWay.delete(id);
    for (const next of ended?.behind ?? []) this.#enter(id, next);
    return ended?.waiting ?? [];
  }

  #giveUp(id: string, gone: Waiting): void {
    const underWay = this.#underWay.get(id);
    const sent = underWay?.waiting.delete(gone) === true;
    underWay?.behind.delete(gone);
    gone.reject(aborted(this.#name, sent ? 'maybe' : 'no'));
    if (!sent || underWay === undefined || underWay.waiting.size > 0) return;
    this.#largestGivenUp = Math.max(this.#largestGivenUp, Buffer.byteLength(gone.body));
    this.#end(id);
  }

  get #only(): string | null {
    const [id = null] = this.#underWay.size === 1 ? this.#underWay.keys() : [];
    return id;
  }

  /** What we found no id in, for its size for example, the other side may have looked at less closely. */
  #isOfUnread(id: string): boolean {
    const body = this.#underWay.get(NO_ID)?.body;
    return body !== undefined && textIdOf(Buffer.from(body.slice(0, HEAD))) === id;
  }

  /** An error without an id means the request that has none, or else the only one there is. */
  #meantBy(text: string): string {
    const message = messageIn(text);
    const id = isObject(message) ? message['id'] : null;
    if (typeof id === 'string') return this.#underWay.has(id) || !this.#isOfUnread(id) ? id : NO_ID;
    const isError = isObject(message) && 'error' in message;
    return this.#underWay.has(NO_ID) || !isError ? NO_ID : (this.#only ?? NO_ID);
  }
}

function notSent(error: CarrierError): CarrierError {
  return new CarrierError(error.message, { trouble: error.trouble, arrived: 'no' }, error);
}

/** For those who only shared the connection. */
function mayComeAgain(error: CarrierError): CarrierError {
  return new CarrierError(error.message, { trouble: 'unreachable', arrived: 'maybe' }, error);
}

/** The id of a message that is not read as a whole; null where what there is of it does not say. */
export function textIdOf(message: Uint8Array): string | null {
  const id = idInHead(message);
  return typeof id === 'string' ? id : null;
}

function answeredBy(body: string): string {
  const read = readRequest(body);
  return ('request' in read ? read.request.id : read.refusal.id) ?? NO_ID;
}

function messageIn(text: string): Json {
  const read = readMessage(text, MAX_JSON_DEPTH + 2);
  return 'value' in read ? read.value : null;
}
