import type { Json } from '../core/json.ts';
import { requestText } from '../rpc/messages.ts';
import type { Caller, SingleCall } from './caller.ts';
import { ConnectionError } from './errors.ts';
import { type Message, readMessage } from './messages.ts';
import { persist } from './persist.ts';
import { callError, cutOff, isStopping, unreachable } from './problems.ts';
import { readAnswer } from './read-answer.ts';
import type { Known, Patience } from './reconnect.ts';
import { Turns } from './turns.ts';
import type { FetchLike } from './web.ts';

export type HttpParts = {
  readonly url: string;
  readonly key: string | undefined;
  readonly fetch: FetchLike;
  readonly patience: Patience;
  readonly known: Known;
  readonly max_answer_bytes: number;
};

type Response = { readonly status: number; readonly text: string };

/** Requests at a time: whoever starts thousands of calls at once means them to be done, not to drown the server. */
const MOST = 64;

/** Each request has an answer of its own, so they need not differ. */
const ID = 1;

/** Single calls by POST. */
export class HttpCaller implements Caller {
  readonly #parts: HttpParts;
  readonly #turns = new Turns(MOST);

  constructor(parts: HttpParts) {
    this.#parts = parts;
  }

  call(call: SingleCall, signal: AbortSignal): Promise<Json> {
    const { patience, known } = this.#parts;
    const mayRepeat = (error: unknown) => isWorthRepeating(error, call);
    return persist({ patience, known, mayRepeat, signal }, () =>
      this.#turns.take(signal, () => this.once(call, signal)),
    );
  }

  /** Without trying again. */
  async once({ method, params }: SingleCall, signal: AbortSignal): Promise<Json> {
    const response = await this.#post(method, requestText({ id: ID, method, params }), signal);
    const message = readMessage(response.text);
    if (message?.kind !== 'answer') throw noAnswer(this.#parts.url, method, response);
    if (!isFor(message)) throw unusable(this.#parts.url, 'answered another request than this one');
    this.#parts.known.reached = true;
    if ('error' in message.answer) throw callError(method, message.answer.error);
    return message.answer.result;
  }

  async #post(method: string, body: string, signal: AbortSignal): Promise<Response> {
    const { url, key, fetch, max_answer_bytes } = this.#parts;
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (key !== undefined) headers['authorization'] = `Bearer ${key}`;
    let response: Response | null = null;
    try {
      // A page that turned its cache off here would ask for leave before every call.
      const plain = { redirect: 'manual', credentials: 'omit' } as const;
      const answer = await fetch(url, { method: 'POST', headers, body, signal, ...plain });
      const text = await readAnswer(answer, max_answer_bytes);
      if (text !== null) response = { status: answer.status, text };
    } catch (thrown) {
      signal.throwIfAborted();
      throw fetchFailed(thrown, url, method);
    }
    if (response !== null) return response;
    const hint = 'ask for less at a time, or allow more with max_answer_bytes';
    throw unusable(url, `answered ${method} with more than ${max_answer_bytes} bytes`, hint);
  }
}

/** One who could not make out which request it was says so with null. */
function isFor({ id, answer }: Extract<Message, { kind: 'answer' }>): boolean {
  return id === ID || (id === null && 'error' in answer);
}

function isWorthRepeating(error: unknown, { repeatable }: SingleCall): boolean {
  if (isStopping(error)) return repeatable;
  if (!(error instanceof ConnectionError) || error.trouble === 'unusable') return false;
  return repeatable || error.outcome === 'not_sent';
}

/**
 * What is no answer of ours. A proxy whose server is away says so in its own words; and browsers take a head that was cut
 * off for a whole one, with nothing after it.
 */
function noAnswer(url: string, method: string, { status, text }: Response): ConnectionError {
  const isCut = (status >= 502 && status <= 504) || (status === 200 && (text === '' || text.startsWith('{')));
  if (isCut) return cutOff(url, method, new Error(`HTTP ${status}`));
  const redirects = status === 0 || (status >= 300 && status < 400);
  const did = redirects ? 'redirects elsewhere' : `answered HTTP ${status}, and not as Gleitzeit does`;
  return unusable(url, did, redirects ? 'give the address it leads to' : 'check the address');
}

function unusable(url: string, did: string, hint = 'check the address'): ConnectionError {
  return new ConnectionError(`${url} ${did}`, { url, trouble: 'unusable', outcome: 'unknown', hint });
}

/** No connection came about with these, so nothing was sent. Browsers do not tell. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'bad port',
]);

function fetchFailed(thrown: unknown, url: string, method: string): ConnectionError {
  const code = codeOf(thrown);
  if (code !== null && neverSent.has(code)) return unreachable(url, code, thrown);
  return cutOff(url, method, thrown);
}

function codeOf(thrown: unknown): string | null {
  const { cause } = thrown instanceof Error ? thrown : {};
  const { code } = typeof cause === 'object' && cause !== null && 'code' in cause ? cause : {};
  if (typeof code === 'string') return code;
  // Ports of other services are refused beforehand, which has no code.
  return cause instanceof Error ? cause.message : null;
}
