import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { RpcReply } from '../../rpc/channel.ts';
import type { WebClient, WebStream } from '../../rpc/http/client.ts';
import { requestText } from '../../rpc/messages.ts';
import { answerLimits } from '../provider-type.ts';
import { type Carrier, type Ears, PROGRESS, type Request, TELL_MS, type Telling } from './carrier.ts';
import { bodyOf, type HttpSaid, headOf, mediaType, refusalFrom, saidFrom } from './http-said.ts';
import { letEnd, readStream, type StreamEnd } from './http-stream.ts';
import { pause } from './pause.ts';
import type { Note, Said } from './said.ts';
import { within } from './within.ts';

type Texts = Readonly<Record<string, string>>;

/** Sends a request with whatever shows who we are, and again where that is to be shown anew. */
export type Fetch = (request: {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Texts;
  readonly body: string | null;
  readonly signal: AbortSignal | null;
}) => Promise<WebStream>;

export type HttpParts = HttpSaid & {
  readonly fetch: Fetch;
  readonly web: Pick<WebClient, 'close'>;
  readonly timers: Timers;
  readonly ears: Ears;
};

const ACCEPT = 'application/json, text/event-stream';
/** A stream that was cut is taken up again so often, where nothing new has come meanwhile. */
const RESUMED = 8;
const RESUMED_AFTER_MS = 1000;
/** How long a server may take to end a stream after its answer, before that is done for it. */
const LINGER_MS = 1000;

/** Every message is a POST to one address; its answer is a message, or a stream of them. */
export class HttpCarrier implements Carrier {
  readonly over_http = true;
  readonly life = 0;
  readonly #parts: HttpParts;

  constructor(parts: HttpParts) {
    this.#parts = parts;
  }

  async send(request: Request): Promise<Said> {
    const { id, method, params, signal } = request;
    const stream = await this.#post(requestText({ id, method, params }), request.headers, signal);
    if (mediaType(stream) !== 'text/event-stream' || stream.status >= 300)
      return saidFrom(stream, await bodyOf(stream), { id, ...this.#parts });
    return this.#streamed(request, stream);
  }

  notify({ method, params }: Note, telling: Telling): Promise<void> {
    return this.#tell(requestText({ method, params }), telling);
  }

  /** A stream of its own for what belongs to no call; taken up again whenever it ends, until the server refuses it. */
  async listen(headers: Texts, signal: AbortSignal): Promise<void> {
    const request = { id: '', method: '', params: {}, headers, signal, heard: () => {} };
    for (let last = ''; ; ) {
      const stream = await this.#open(request, last);
      if (stream === null) return;
      const end = await this.#listen(request, stream);
      if ('answer' in end) return;
      if (end.last_id !== '') last = end.last_id;
      await pause(end.retry_ms ?? RESUMED_AFTER_MS, signal, this.#parts.timers);
    }
  }

  /** Says that a session is over. Servers need not know of it. */
  async end(headers: Texts): Promise<void> {
    const { timers, fetch, peer } = this.#parts;
    const limit = { ms: LINGER_MS, late: `${peer} did not end its session` };
    const request = { method: 'DELETE', headers, body: null } as const;
    const stream = await within(timers, limit, (signal) => fetch({ ...request, signal }));
    stream.cancel();
  }

  close(): Promise<void> {
    return this.#parts.web.close();
  }

  async #tell(body: string, { headers, signal }: Telling): Promise<void> {
    const stream = await this.#post(body, headers, signal);
    if (stream.status >= 300) throw refusalFrom(stream, await bodyOf(stream), this.#parts);
    stream.cancel();
  }

  #post(body: string, headers: Texts, signal: AbortSignal): Promise<WebStream> {
    const all = { 'content-type': 'application/json', accept: ACCEPT, ...headers };
    return this.#parts.fetch({ method: 'POST', headers: all, body, signal });
  }

  /** Reads until the answer comes. Where the server gave its events ids, a stream that ends early is taken up again. */
  async #streamed(request: Request, first: WebStream): Promise<Said> {
    const { timers } = this.#parts;
    const head = headOf(first, this.#parts.clock);
    let stream = first;
    let last = '';
    for (let idle = 0; ; ) {
      const end = await this.#listen(request, stream);
      if ('answer' in end) {
        void letEnd(stream, LINGER_MS, timers);
        return { ...head, answer: end.answer, text: '' };
      }
      if (end.last_id === '' && last === '') throw end.error ?? this.#endedEarly();
      idle = end.last_id === last || end.last_id === '' ? idle + 1 : 0;
      if (end.last_id !== '') last = end.last_id;
      if (idle > RESUMED) throw end.error ?? this.#endedEarly();
      await pause(end.retry_ms ?? RESUMED_AFTER_MS, request.signal, timers);
      const resumed = await this.#open(request, last);
      if (resumed === null) throw end.error ?? this.#endedEarly();
      stream = resumed;
    }
  }

  /** Null where the server has no such stream. */
  async #open({ headers, signal }: Request, last: string): Promise<WebStream | null> {
    const after = last === '' ? {} : { 'last-event-id': last };
    const all = { accept: 'text/event-stream', ...headers, ...after };
    const stream = await this.#parts.fetch({ method: 'GET', headers: all, body: null, signal });
    if (stream.status === 200 && mediaType(stream) === 'text/event-stream') return stream;
    stream.cancel();
    return null;
  }

  #listen(request: Request, stream: WebStream): Promise<StreamEnd> {
    return readStream(stream, {
      id: request.id,
      signal: request.signal,
      max_event: answerLimits.max_message,
      note: (note) => (note.method === PROGRESS ? request.heard(note) : this.#parts.ears.noted(note)),
      request: (id, note) => this.#answer(id, note, request.headers),
    });
  }

  /** What the server asks in the older era; the reply is a message of its own. */
  #answer(id: string | number, note: Note, headers: Texts): void {
    const missing = { error: { code: -32601, message: 'method not found' } };
    const answering = this.#parts.ears.asked(note) ?? Promise.resolve(missing);
    const limit = { ms: TELL_MS, late: `${this.#parts.peer} was not given what it asked for` };
    const send = (reply: RpcReply) => {
      const text = JSON.stringify({ jsonrpc: '2.0', id, ...reply });
      return within(this.#parts.timers, limit, (signal) => this.#tell(text, { headers, signal }));
    };
    // If it does not arrive, the server waits in vain, and the call that it belongs to ends by its timeout.
    answering.then(send).catch(() => {});
  }

  #endedEarly(): GleitzeitError {
    return new GleitzeitError('GLZ2002', `${this.#parts.peer} ended its stream before it answered`);
  }
}
