import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject, own } from '../../core/json.ts';
import type { Timers } from '../../core/ports/clock.ts';
import { givenUp } from '../../rpc/correlate.ts';
import { resultOf, troubleOf } from './answer.ts';
import { type Carrier, TELL_MS } from './carrier.ts';
import { modernHeaders, type Self, withMeta } from './envelope.ts';
import { isSessionLost } from './era.ts';
import { discover, type Handshake, initialize, type Ready, sessionHeaders } from './handshake.ts';
import { patiently } from './patiently.ts';
import { isModern, NEWEST_WITH_SESSION, UNSUPPORTED_VERSION } from './revisions.ts';
import { errorIn, type Note, type Said } from './said.ts';
import { within } from './within.ts';

export type Carriers = {
  open(): Carrier;
  /** The first carrier over HTTP, for servers that have no other; null where there is none to fall back to. */
  openOld: (() => Carrier) | null;
};

export type ConnectionParts = {
  readonly carriers: Carriers;
  readonly self: Self;
  /** The one revision to be spoken; null for whichever the server has. */
  readonly version: string | null;
  /** Whether only sessions are possible, whatever the revision. */
  readonly session_only: boolean;
  /** Whether somebody here answers what a server asks outside of calls. */
  readonly answers: boolean;
  readonly peer: string;
  readonly timers: Timers;
  /** How long a program may take to answer the question what it is; */
  readonly probe_ms: number;
  /** and how long a server may take until it can be spoken to at all. */
  readonly start_ms: number;
};

export type Asking = {
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  readonly heard: (note: Note) => void;
  readonly traceparent?: string | undefined;
  /** Those that repeat arguments of a tool. */
  readonly headers?: Readonly<Record<string, string>>;
};

export const START_HINT = 'raise `start_timeout` of the provider if its server needs longer to begin';

/** One server: which era it is of, the session where there is one, and a new one where that was lost. */
export class Connection {
  readonly #parts: ConnectionParts;
  readonly #closing = new AbortController();
  #carrier: Carrier;
  #old = false;
  #era: 'modern' | 'session' | null;
  #ready: Ready | null = null;
  #readying: Promise<Ready> | null = null;
  #ids = 0;
  /** Ends with the session whose server is listened to. */
  #listening = new AbortController();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#carrier = parts.carriers.open();
    this.#era = parts.session_only ? 'session' : eraOf(parts.version);
  }

  get over_http(): boolean {
    return this.#carrier.over_http;
  }

  renew(silent_ms: number): void {
    this.#carrier.renew?.(silent_ms);
  }

  warm(): void {
    this.#carrier.warm?.();
  }

  /** Settles how the server is spoken to, together with everybody else who wants to know. */
  ready(signal: AbortSignal): Promise<Ready> {
    if (this.#closing.signal.aborted) return Promise.reject(this.#closing.signal.reason);
    const { life } = this.#carrier;
    const known = this.#ready;
    if (known !== null && (known.era === 'modern' || known.life === life)) return Promise.resolve(known);
    this.#readying ??= this.#begin().finally(() => {
      this.#readying = null;
    });
    return patiently(this.#readying, signal);
  }

  /** The result. Rejects with an error of ours for everything else. A session that was lost is begun anew, once. */
  async request(asking: Asking): Promise<JsonObject> {
    const ready = await this.ready(asking.signal);
    const said = await this.#send(asking, ready);
    if (!this.#isForgotten(said, ready)) return resultOf(said, this.#parts.peer);
    // It was refused before anything was done, so that it can be said again.
    if (this.#ready === ready) this.#forget(ready);
    const anew = await this.ready(asking.signal);
    return resultOf(await this.#send(asking, anew), this.#parts.peer);
  }

  async close(): Promise<void> {
    this.#closing.abort(new GleitzeitError('GLZ2002', `the connection to ${this.#parts.peer} is closed`));
    const ready = this.#ready;
    if (ready?.era === 'session' && ready.session !== null)
      await this.#carrier.end?.(sessionHeaders(ready)).catch(() => {});
    await this.#carrier.close();
  }

  async #send(asking: Asking, ready: Ready): Promise<Said> {
    const { id, method, signal, heard, traceparent } = asking;
    const version = ready.era === 'modern' ? ready.version : null;
    const params = withMeta(asking.params, { version, self: this.#parts.self, token: id, traceparent });
    const headers = { ...headersFor(ready, method, asking.params), ...asking.headers };
    const carrier = this.#carrier;
    if (signal.aborted) throw givenUp(signal);
    try {
      return await carrier.send({ id, method, params, headers, signal, heard });
    } catch (thrown) {
      // In the newer era over HTTP the closed stream says it already.
      if (signal.aborted && !(carrier.over_http && ready.era === 'modern'))
        this.#cancel(carrier, id, headers);
      throw thrown;
    }
  }

  #cancel(carrier: Carrier, id: string, headers: Readonly<Record<string, string>>): void {
    if (this.#closing.signal.aborted) return;
    const note = { method: 'notifications/cancelled', params: { requestId: id, reason: 'given up' } };
    const { peer, timers } = this.#parts;
    const limit = { ms: TELL_MS, late: `${peer} was not told of a call that was given up` };
    within(timers, { ...limit, outer: this.#closing.signal }, (signal) =>
      carrier.notify(note, { headers, signal }),
    ).catch(() => {});
  }

  #isForgotten(said: Said, ready: Ready): boolean {
    if (ready.era === 'modern' && errorIn(said)?.code === UNSUPPORTED_VERSION) return true;
    return isSessionLost(said) && (ready.era === 'modern' ? this.#parts.version === null : true);
  }

  /** A server of the newer era that asks for a session was replaced by an older one: it is asked anew what it is. */
  #forget(ready: Ready): void {
    this.#ready = null;
    if (ready.era === 'modern' && this.#parts.version === null) this.#era = null;
  }

  async #begin(): Promise<Ready> {
    const { start_ms, timers, peer } = this.#parts;
    const limit = { ms: start_ms, late: `${peer} could not be spoken to`, hint: START_HINT };
    const ready = await within(timers, { ...limit, outer: this.#closing.signal }, (signal) =>
      this.#settle(signal),
    );
    this.#ready = ready;
    this.#era = ready.era;
    if (ready.era === 'session') this.#listen(ready);
    return ready;
  }

  #listen(ready: Ready & { era: 'session' }): void {
    this.#listening.abort();
    this.#listening = new AbortController();
    const tools = own(ready.capabilities, 'tools');
    const changes = isObject(tools) && own(tools, 'listChanged') === true;
    if (!this.#parts.answers && !changes) return;
    const signal = AbortSignal.any([this.#listening.signal, this.#closing.signal]);
    // A stream that cannot be had is not missed: calls find out by themselves what has changed.
    this.#carrier.listen?.(sessionHeaders(ready), signal).catch(() => {});
  }

  async #settle(signal: AbortSignal): Promise<Ready> {
    if (this.#era === 'modern' && this.#parts.version !== null)
      return { era: 'modern', version: this.#parts.version };
    if (this.#era === null || this.#era === 'modern') {
      const found = await this.#probe(signal);
      if (found !== null) return found;
    }
    return this.#session(signal);
  }

  /** Null where the server is of the older era. */
  async #probe(signal: AbortSignal): Promise<Ready | null> {
    const { life } = this.#carrier;
    const probing = new AbortController();
    const { timers, probe_ms } = this.#parts;
    const cancel = this.#carrier.over_http
      ? () => {}
      : timers.after(probe_ms, () => probing.abort(new GleitzeitError('GLZ2003', 'it stays silent')));
    try {
      const verdict = await discover(this.#shake(AbortSignal.any([signal, probing.signal])));
      return verdict.is === 'modern' ? { era: 'modern', version: verdict.version } : null;
    } catch (thrown) {
      // Over HTTP trouble is no evidence; a program may be silent, or end, only because it does not know the question.
      if (this.#carrier.over_http || signal.aborted) throw thrown;
      if (probing.signal.aborted) await this.#reopen();
      else if (this.#carrier.life === life) throw thrown;
      return null;
    } finally {
      cancel();
    }
  }

  /** A program that was asked something it did not know may be confused: it starts again with a clear head. */
  async #reopen(): Promise<void> {
    const confused = this.#carrier;
    this.#carrier = this.#parts.carriers.open();
    await confused.close();
  }

  async #session(signal: AbortSignal): Promise<Ready> {
    const { version, carriers, peer } = this.#parts;
    const begun = await initialize(this.#shake(signal), version ?? NEWEST_WITH_SESSION);
    if (!('refused' in begun)) return begun;
    const { refused } = begun;
    const elsewhere = refused.status !== null && [400, 404, 405, 406, 415].includes(refused.status);
    if (this.#old || carriers.openOld === null || !elsewhere) throw troubleOf(refused, peer);
    const young = this.#carrier;
    this.#carrier = carriers.openOld();
    this.#old = true;
    try {
      const old = await initialize(this.#shake(signal), version ?? NEWEST_WITH_SESSION);
      if ('refused' in old) throw troubleOf(old.refused, peer);
      await young.close();
      return old;
    } catch {
      // What the address that was configured said is the better reason.
      void this.#carrier.close();
      this.#carrier = young;
      this.#old = false;
      throw troubleOf(refused, peer);
    }
  }

  #shake(signal: AbortSignal): Handshake {
    const { self } = this.#parts;
    return { carrier: this.#carrier, self, signal, nextId: () => `gleitzeit-${++this.#ids}` };
  }
}

function eraOf(version: string | null): 'modern' | 'session' | null {
  if (version === null) return null;
  return isModern(version) ? 'modern' : 'session';
}

function headersFor(ready: Ready, method: string, params: JsonObject): Record<string, string> {
  return ready.era === 'modern' ? modernHeaders(method, params, ready.version) : sessionHeaders(ready);
}
