import { GleitzeitError } from '../../core/errors.ts';
import { isObject, own } from '../../core/json.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { ChannelNotification } from '../../rpc/channel.ts';
import { type Correlation, createCorrelation, givenUp } from '../../rpc/correlate.ts';
import type { WebStream } from '../../rpc/http/client.ts';
import { SseParser } from '../../rpc/http/sse.ts';
import { answerLimits } from '../provider-type.ts';
import { type Ears, PROGRESS, type Request, TELL_MS, type Telling } from './carrier.ts';
import { isSessionLost } from './era.ts';
import { bodyOf, type HttpSaid, mediaType, refusal, refusalFrom, refusedWith } from './http-said.ts';
import { patiently } from './patiently.ts';
import type { Note, Said } from './said.ts';
import { within } from './within.ts';

type Texts = Readonly<Record<string, string>>;

/** A GET of the stream's own address, or a POST to the address it names. */
export type SseFetch = (request: {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Texts;
  readonly body: string | null;
  readonly signal: AbortSignal | null;
}) => Promise<WebStream>;

export type SseLineParts = HttpSaid & {
  readonly url: URL;
  readonly fetch: SseFetch;
  readonly ears: Ears;
  readonly timers: Timers;
};

type Fate = {
  /** Nothing comes by it any more. */
  readonly over: (line: SseLine) => void;
  /** Nothing seems to come by it: no new call is to wait for it. */
  readonly dead: (line: SseLine) => void;
};

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** So long a server may take to show by an answer to `ping` that its stream still leads to us. */
const DOUBT_MS = 5000;

/** One stream of a server: where it wants messages, and the calls that are answered by it. */
export class SseLine {
  readonly #parts: SseLineParts;
  readonly #fate: Fate;
  readonly #correlation: Correlation;
  readonly #listeners = new Map<string, (note: Note) => void>();
  readonly #ending = new AbortController();
  readonly #endpoint = Promise.withResolvers<URL>();
  /** How often something came, whatever it was. */
  #heard = 0;
  #doubts = 0;
  #doubted = false;
  #retired = false;

  constructor(parts: SseLineParts, fate: Fate) {
    this.#parts = parts;
    this.#fate = fate;
    // Those who wait for it hear why there is none.
    this.#endpoint.promise.catch(() => {});
    const limit = { ms: TELL_MS, late: `${parts.peer} was not given what it asked for` };
    this.#correlation = createCorrelation({
      logger: silent,
      max_depth: answerLimits.max_depth,
      notified: (message) => this.#hear(message),
      asked: (message) => parts.ears.asked(message),
      reply: (text) =>
        void within(parts.timers, limit, (signal) => this.post(text, { headers: {}, signal })).catch(
          () => {},
        ),
    });
  }

  /** Resolves when the server has said where it wants messages. */
  async open(): Promise<void> {
    const { url, fetch } = this.#parts;
    const headers = { accept: 'text/event-stream' };
    const stream = await fetch({ url, method: 'GET', headers, body: null, signal: this.#ending.signal });
    if (stream.status !== 200 || mediaType(stream) !== 'text/event-stream') {
      stream.cancel();
      throw refusalFrom(stream, Buffer.from('no stream of events is there'), this.#parts);
    }
    void this.#listen(stream);
    await this.#endpoint.promise;
  }

  async ask(request: Request): Promise<Said> {
    const { id, headers, signal } = request;
    if (this.#ending.signal.aborted) throw givenUp(this.#ending.signal);
    const heard = this.#heard;
    let refused: Said | null = null;
    const post = async (text: string) => {
      refused = await this.post(text, { headers, signal });
      if (refused === null) return;
      // A session may be lost while its stream stays open: nothing more would come by it.
      if (isSessionLost(refused)) this.end(streamEnded(this.#parts.peer));
      throw refusal(refused, this.#parts.peer);
    };
    this.#listeners.set(id, request.heard);
    try {
      const answer = await this.#correlation.open(request, (text) => {
        post(text).catch((thrown) => this.#correlation.fail(id, GleitzeitError.from(thrown, 'GLZ2002')));
      });
      return { answer, status: null, text: '', session: null };
    } catch (thrown) {
      if (refused !== null && isSessionLost(refused)) return refused;
      const late = GleitzeitError.from(thrown).code === 'GLZ2003';
      if (late && this.#heard === heard) void this.#doubt(headers);
      throw thrown;
    } finally {
      this.#listeners.delete(id);
      if (this.#retired) this.retire();
    }
  }

  /** Null where it was taken, else how it was refused. */
  async post(body: string, { headers, signal }: Telling): Promise<Said | null> {
    const url = await patiently(this.#endpoint.promise, signal);
    const all = { 'content-type': 'application/json', ...headers };
    const stream = await this.#parts.fetch({ url, method: 'POST', headers: all, body, signal });
    const said = await bodyOf(stream);
    return stream.status >= 300 ? refusedWith(stream, said, this.#parts) : null;
  }

  /** No new call is coming: it ends with the last of those that are under way. */
  retire(): void {
    this.#retired = true;
    if (this.#correlation.pending === 0) this.end(streamEnded(this.#parts.peer));
  }

  /** What was on its way by it will not come any more. Safe to repeat. */
  end(reason: GleitzeitError): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort(reason);
    this.#endpoint.reject(reason);
    this.#correlation.failAll(reason);
    this.#fate.over(this);
  }

  /**
   * A call was given up and nothing was heard meanwhile. The tool may be slow; or the stream leads nowhere, which no one
   * would notice: no server has to say anything while it works. So it is asked for a sign of life.
   */
  async #doubt(headers: Texts): Promise<void> {
    if (this.#doubted || this.#retired || this.#ending.signal.aborted) return;
    this.#doubted = true;
    const heard = this.#heard;
    const ping = { id: `gleitzeit-ping-${++this.#doubts}`, method: 'ping', params: {}, headers };
    const limit = { ms: DOUBT_MS, late: `${this.#parts.peer} gave no sign of life` };
    await within(this.#parts.timers, limit, (signal) => this.ask({ ...ping, signal, heard: () => {} })).catch(
      () => {},
    );
    this.#doubted = false;
    if (this.#heard === heard) this.#fate.dead(this);
  }

  async #listen(stream: WebStream): Promise<void> {
    const { peer } = this.#parts;
    try {
      await this.#read(stream);
      this.end(streamEnded(peer));
    } catch (thrown) {
      const error = GleitzeitError.from(thrown, 'GLZ2002');
      this.#endpoint.reject(error);
      // What cannot be read is the answer to the only call there is; with several nobody knows whose it was.
      this.end(this.#correlation.pending === 1 ? error : streamEnded(peer));
    }
  }

  async #read(stream: WebStream): Promise<void> {
    const parser = new SseParser(answerLimits.max_message);
    for await (const chunk of stream.body) {
      this.#heard++;
      for (const { event, data } of parser.push(chunk)) {
        if (event === 'endpoint') this.#endpoint.resolve(this.#sameOrigin(data));
        else if (event === 'message') this.#correlation.received(data);
      }
    }
  }

  /** Only where we were sent by the configuration: elsewhere, nobody may read along. */
  #sameOrigin(where: string): URL {
    const found = URL.parse(where, this.#parts.url);
    if (found !== null && found.origin === this.#parts.url.origin) return found;
    throw new GleitzeitError('GLZ2010', `${this.#parts.peer} wants messages at another origin than its own`);
  }

  #hear({ method, params }: ChannelNotification): void {
    const note = { method, params: isObject(params) ? params : {} };
    if (method !== PROGRESS) this.#parts.ears.noted(note);
    else this.#listeners.get(String(own(note.params, 'progressToken')))?.(note);
  }
}

export function streamEnded(peer: string): GleitzeitError {
  return new GleitzeitError('GLZ2002', `${peer} ended the stream that brings its answers`);
}
