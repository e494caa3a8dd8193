import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { Logger } from '../core/ports/logger.ts';
import { asAnswer, NO_JSON, readMessage, type Unusable } from './answers.ts';
import type { Asked, ChannelCall, ChannelNotification, Notified, RpcAnswer, RpcReply } from './channel.ts';
import { bytesOf } from './guard.ts';
import { idInHead } from './id-in-head.ts';
import { errorText, METHOD_NOT_FOUND, type RpcParams, requestText, resultText } from './messages.ts';
import { progressOf } from './progress.ts';

export type CorrelationParts = {
  readonly logger: Logger;
  /** Levels of nesting an answer may have. Its size is bounded by whoever reads the bytes. */
  readonly max_depth: number;
  readonly notified?: Notified;
  /** Where it is left out, whoever asks something of us is told that we have no methods. */
  readonly asked?: Asked;
  /** Sends the peer a word, or leaves it where there is no room: a peer that asks much must not fill our memory. */
  readonly reply?: (text: string) => void;
};

/** The calls under way on a duplex channel, and which of them an arriving message answers. */
export interface Correlation {
  /**
   * Registers the call, hands its text to `send`, and settles by an answer, by the call's signal, or by `fail`. A call
   * that is given up already, or whose id is under way, is never sent.
   */
  open(call: ChannelCall, send: (text: string) => void): Promise<RpcAnswer>;
  /** One whole message as it came. What cannot be used is counted and logged. */
  received(message: Uint8Array | string): void;
  /** A message past the carrier's bound, of which only the beginning was kept. `reason` follows "the answer". */
  refused(head: Uint8Array, reason: string): void;
  /** One call that could not be sent. */
  fail(id: string | number, error: GleitzeitError): void;
  /** Everything under way, when the connection is gone. */
  failAll(error: GleitzeitError): void;
  readonly pending: number;
  /** Messages that answered nothing that was asked. */
  readonly strays: number;
}

export function createCorrelation(parts: CorrelationParts): Correlation {
  return new CallsUnderWay(parts);
}

const STRAYS_TOLD = 8;
/** A peer that asks more of us at a time is told that we have no methods. */
const MOST_ASKED = 64;

type Pending = {
  readonly resolve: (answer: RpcAnswer) => void;
  readonly reject: (error: GleitzeitError) => void;
  readonly signal: AbortSignal;
  readonly abort: () => void;
  readonly progressed: ChannelCall['progressed'];
};

class CallsUnderWay implements Correlation {
  readonly #parts: CorrelationParts;
  /** A map tells "1" and 1 apart, as the specification does. */
  readonly #pending = new Map<unknown, Pending>();
  #strays = 0;
  #asked = 0;

  constructor(parts: CorrelationParts) {
    this.#parts = parts;
  }

  get pending(): number {
    return this.#pending.size;
  }

  get strays(): number {
    return this.#strays;
  }

  open(call: ChannelCall, send: (text: string) => void): Promise<RpcAnswer> {
    const { id, signal, progressed } = call;
    if (signal.aborted) return Promise.reject(givenUp(signal));
    if (this.#pending.has(id)) return Promise.reject(underWay(id));
    const { promise, resolve, reject } = Promise.withResolvers<RpcAnswer>();
    const abort = () => this.fail(id, givenUp(signal));
    this.#pending.set(id, { resolve, reject, signal, abort, progressed });
    signal.addEventListener('abort', abort);
    try {
      send(requestText(call));
    } catch (thrown) {
      this.fail(id, GleitzeitError.from(thrown, 'GLZ2002'));
    }
    return promise;
  }

  received(message: Uint8Array | string): void {
    const read = readMessage(message, this.#parts.max_depth);
    // A peer may print other things than messages: what is no JSON need not be the answer to the only call.
    if ('invalid' in read) this.#refuse(bytesOf(message), read, read.invalid !== NO_JSON);
    else if (Array.isArray(read.value)) for (const one of read.value as readonly Json[]) this.#take(one);
    else this.#take(read.value);
  }

  refused(head: Uint8Array, reason: string): void {
    this.#refuse(head, { invalid: reason, past_bounds: true }, true);
  }

  fail(id: string | number, error: GleitzeitError): void {
    this.#close(id)?.reject(error);
  }

  failAll(error: GleitzeitError): void {
    for (const id of [...this.#pending.keys()]) this.#close(id)?.reject(error);
  }

  #take(message: Json): void {
    if (!isObject(message)) this.#stray('is no object');
    else if (typeof message['method'] === 'string') this.#hear(message, message['method']);
    else this.#settle(message);
  }

  #settle(message: JsonObject): void {
    const answer = asAnswer(message);
    // An error that names no call means the only one there is (C5). With several it means none.
    const unnamed = message['id'] === null && 'error' in answer;
    const call = this.#close(unnamed ? this.#only() : message['id']);
    if (call === undefined) this.#stray('answers no call that is under way');
    else if ('invalid' in answer) call.reject(unusable(answer.invalid));
    else call.resolve(answer);
  }

  #hear(message: JsonObject, method: string): void {
    const { notified } = this.#parts;
    const { id, params } = message;
    const structured = typeof params === 'object' && params !== null;
    const said = { method, ...(structured ? { params: params as RpcParams } : {}) };
    if (id === undefined && this.#isNews(said)) return;
    if (id === undefined && notified !== undefined) notified(said);
    else if (!isShortId(id) || !this.#answer(id, said)) {
      this.#stray('asks something of us');
      if (isShortId(id)) this.#parts.reply?.(errorText(JSON.stringify(id), noSuchMethod));
    }
  }

  /** Whether it tells of a call under way, whose caller hears of it. */
  #isNews({ method, params }: ChannelNotification): boolean {
    const news = progressOf(method, params);
    const progressed = news === null ? undefined : this.#pending.get(news.id)?.progressed;
    if (news === null || progressed === undefined) return false;
    progressed(news.told);
    return true;
  }

  /** Whether somebody answers it. */
  #answer(id: string | number, said: ChannelNotification): boolean {
    const { asked, reply } = this.#parts;
    const answering = this.#asked < MOST_ASKED ? (asked?.(said) ?? null) : null;
    if (answering === null) return false;
    this.#asked++;
    void answering
      .then((answer) => reply?.(replyText(JSON.stringify(id), answer)))
      .finally(() => this.#asked--);
    return true;
  }

  #refuse(head: Uint8Array, read: Unusable, orOnly: boolean): void {
    const call = this.#close(idInHead(head)) ?? (orOnly ? this.#close(this.#only()) : undefined);
    if (call === undefined) this.#stray(read.invalid);
    else call.reject(unread(read));
  }

  #only(): unknown {
    return this.#pending.size === 1 ? this.#pending.keys().next().value : undefined;
  }

  #close(id: unknown): Pending | undefined {
    const call = this.#pending.get(id);
    if (call === undefined) return undefined;
    this.#pending.delete(id);
    call.signal.removeEventListener('abort', call.abort);
    return call;
  }

  /** The first are told, then ever fewer: a peer that floods us must not fill the log as well. */
  #stray(reason: string): void {
    const strays = ++this.#strays;
    if (strays > STRAYS_TOLD && !Number.isInteger(Math.log2(strays))) return;
    const fields = { reason: `it ${reason}`, strays };
    this.#parts.logger.debug('a message that answers nothing was dropped', fields);
  }
}

function replyText(id: string, reply: RpcReply): string {
  return 'result' in reply
    ? resultText(id, JSON.stringify(reply.result))
    : errorText(id, JSON.stringify(reply.error));
}

const noSuchMethod = JSON.stringify({ code: METHOD_NOT_FOUND, message: 'method not found' });
/** Longer ones are not given back: they would make us send as much as we are sent. */
const LONGEST_ID = 200;

function isShortId(id: unknown): id is string | number {
  return typeof id === 'string' ? id.length <= LONGEST_ID : typeof id === 'number';
}

/** Why a call is no longer waited for. Whoever ends it with an error of ours has said it already. */
export function givenUp(signal: AbortSignal): GleitzeitError {
  const reason: unknown = signal.reason;
  return reason instanceof GleitzeitError
    ? reason
    : new GleitzeitError('GLZ2003', 'the call was given up before it was answered');
}

function underWay(id: string | number): GleitzeitError {
  return new GleitzeitError('GLZ2002', `a call with the id ${JSON.stringify(id)} is under way already`, {
    field: 'id',
  });
}

/** Whoever answers so is not what it was taken for. */
export function unusable(reason: string): GleitzeitError {
  return new GleitzeitError('GLZ2005', `the answer ${reason}`, { reason, fault: 'provider' });
}

export function unread({ invalid, past_bounds }: Unusable): GleitzeitError {
  return past_bounds === true ? tooMuch(invalid) : unusable(invalid);
}

/** An answer past a bound: another call may have a smaller one. */
export function tooMuch(reason: string): GleitzeitError {
  return new GleitzeitError('GLZ2005', `the answer ${reason}`, { reason });
}
