import { GleitzeitError } from '../../core/errors.ts';
import { isObject, own } from '../../core/json.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { ChannelNotification } from '../../rpc/channel.ts';
import { type Correlation, createCorrelation } from '../../rpc/correlate.ts';
import type { WebClient, WebStream } from '../../rpc/http/client.ts';
import { SseParser } from '../../rpc/http/sse.ts';
import { requestText } from '../../rpc/messages.ts';
import { answerLimits } from '../provider-type.ts';
import { type Carrier, type Ears, PROGRESS, type Request, type Telling } from './carrier.ts';
import { isSessionLost } from './era.ts';
import { bodyOf, type HttpSaid, mediaType, refusal, refusalFrom, refusedWith } from './http-said.ts';
import { patiently } from './patiently.ts';
import type { Note, Said } from './said.ts';

type Texts = Readonly<Record<string, string>>;

/** A GET of the stream's own address, or a POST to the address it names. */
export type SseFetch = (request: {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Texts;
  readonly body: string | null;
  readonly signal: AbortSignal | null;
}) => Promise<WebStream>;

export type SseParts = HttpSaid & {
  readonly url: URL;
  readonly fetch: SseFetch;
  readonly web: Pick<WebClient, 'close'>;
  readonly ears: Ears;
};

type Listening = { readonly stream: WebStream; readonly ending: AbortController };

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The first carrier of MCP over HTTP (2024-11-05): one stream brings everything, and names where to post. */
export class SseCarrier implements Carrier {
  readonly over_http = true;
  readonly #parts: SseParts;
  readonly #correlation: Correlation;
  readonly #listeners = new Map<string, (note: Note) => void>();
  readonly #closing = new AbortController();
  #opening: Promise<URL> | null = null;
  /** Ends the stream that is open now. */
  #stream = new AbortController();
  #life = 0;

  constructor(parts: SseParts) {
    this.#parts = parts;
    this.#correlation = createCorrelation({
      logger: silent,
      max_depth: answerLimits.max_depth,
      notified: (message) => this.#hear(message),
      asked: (message) => parts.ears.asked(message),
      reply: (text) => void this.#post(text, {}, null).catch(() => {}),
    });
  }

  get life(): number {
    return this.#life;
  }

  async send(request: Request): Promise<Said> {
    const { id, headers, signal, heard } = request;
    await patiently(this.#open(), signal);
    const stream = this.#stream;
    this.#listeners.set(id, heard);
    let refused: Said | null = null;
    const post = async (text: string) => {
      refused = await this.#post(text, headers, signal);
      if (refused === null) return;
      // A session may be lost while its stream stays open: nothing more would come by it.
      if (isSessionLost(refused)) this.#drop(stream);
      throw refusal(refused, this.#parts.peer);
    };
    try {
      const answer = await this.#correlation.open(request, (text) => {
        post(text).catch((thrown) => this.#correlation.fail(id, GleitzeitError.from(thrown, 'GLZ2002')));
      });
      return { answer, status: null, text: '', session: null };
    } catch (thrown) {
      if (refused !== null && isSessionLost(refused)) return refused;
      throw thrown;
    } finally {
      this.#listeners.delete(id);
    }
  }

  async notify({ method, params }: Note, { headers, signal }: Telling): Promise<void> {
    const refused = await this.#post(requestText({ method, params }), headers, signal);
    if (refused !== null) throw refusal(refused, this.#parts.peer);
  }

  async close(): Promise<void> {
    const closed = new GleitzeitError('GLZ2002', `the channel to ${this.#parts.peer} is closed`);
    this.#closing.abort(closed);
    this.#correlation.failAll(closed);
    await this.#parts.web.close();
  }

  /** Null where it was taken, else how it was refused. */
  async #post(body: string, headers: Texts, signal: AbortSignal | null): Promise<Said | null> {
    const url = await this.#open();
    const all = { 'content-type': 'application/json', ...headers };
    const stream = await this.#parts.fetch({ url, method: 'POST', headers: all, body, signal });
    const said = await bodyOf(stream);
    return stream.status >= 300 ? refusedWith(stream, said, this.#parts) : null;
  }

  #drop(stream: AbortController): void {
    if (stream === this.#stream) this.#over(stream, this.#ended());
  }

  /** What was on its way by a stream will not come any more. */
  #over(stream: AbortController, end: GleitzeitError): void {
    this.#stream = new AbortController();
    this.#opening = null;
    this.#life++;
    stream.abort(end);
    this.#correlation.failAll(end);
  }

  #open(): Promise<URL> {
    this.#opening ??= this.#connect().catch((thrown) => {
      this.#opening = null;
      throw thrown;
    });
    return this.#opening;
  }

  async #connect(): Promise<URL> {
    const { url, fetch } = this.#parts;
    const ending = this.#stream;
    const signal = AbortSignal.any([this.#closing.signal, ending.signal]);
    const headers = { accept: 'text/event-stream' };
    const stream = await fetch({ url, method: 'GET', headers, body: null, signal });
    if (stream.status !== 200 || mediaType(stream) !== 'text/event-stream') {
      stream.cancel();
      throw refusalFrom(stream, Buffer.from('no stream of events is there'), this.#parts);
    }
    const { promise, resolve, reject } = Promise.withResolvers<URL>();
    void this.#listen({ stream, ending }, (where) => resolve(this.#endpoint(where))).then(
      () => reject(this.#ended()),
      (thrown) => reject(GleitzeitError.from(thrown, 'GLZ2002')),
    );
    return promise;
  }

  /** Only where we were sent by the configuration: elsewhere, nobody may read along. */
  #endpoint(where: string): URL {
    const found = URL.parse(where, this.#parts.url);
    if (found !== null && found.origin === this.#parts.url.origin) return found;
    throw new GleitzeitError('GLZ2010', `${this.#parts.peer} wants messages at another origin than its own`);
  }

  async #listen({ stream, ending }: Listening, named: (where: string) => void): Promise<void> {
    let end = this.#ended();
    try {
      await this.#read(stream, named);
    } catch (thrown) {
      // What cannot be read is the answer to the only call there is; with several nobody knows whose it was.
      if (this.#correlation.pending === 1) end = GleitzeitError.from(thrown, 'GLZ2002');
      throw thrown;
    } finally {
      if (ending === this.#stream) this.#over(ending, end);
    }
  }

  async #read(stream: WebStream, named: (where: string) => void): Promise<void> {
    const parser = new SseParser(answerLimits.max_message);
    for await (const chunk of stream.body)
      for (const { event, data } of parser.push(chunk)) {
        if (event === 'endpoint') named(data);
        else if (event === 'message') this.#correlation.received(data);
      }
  }

  #hear({ method, params }: ChannelNotification): void {
    const note = { method, params: isObject(params) ? params : {} };
    if (method !== PROGRESS) this.#parts.ears.noted(note);
    else this.#listeners.get(String(own(note.params, 'progressToken')))?.(note);
  }

  #ended(): GleitzeitError {
    return new GleitzeitError('GLZ2002', `${this.#parts.peer} ended the stream that brings its answers`);
  }
}
