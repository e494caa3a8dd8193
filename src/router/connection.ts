import type { Answer, Usage } from '../core/answer.ts';
import type { ErrorClass } from '../core/error-codes.ts';
import { classOf, type ErrorRecord, errorRecord, GleitzeitError } from '../core/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { AbandonedCall, Probed, Provider, ProviderCall } from '../core/ports/provider.ts';
import { type LastError, lastErrorOf } from './last-error.ts';
import { Latencies, roundedMs } from './latencies.ts';
import type { HealthPage } from './settings.ts';

/** How a call ended: with a result, put off, or with an error of this class. */
export type CallOutcome = Exclude<Answer['word'], 'failed'> | ErrorClass;

/** A call to a provider that has ended. */
export type CallEnd = {
  readonly provider: string;
  readonly protocol: string;
  readonly method: string;
  readonly outcome: CallOutcome;
  readonly ms: number;
  /** The first attempt of its task is 1. */
  readonly attempt: number;
  /** It was made because another provider had not answered. */
  readonly hedge: boolean;
  readonly usage: Usage | null;
};

export type CallObserver = (call: CallEnd) => void;

export type ConnectionStatus = {
  readonly id: string;
  readonly protocol: string;
  readonly state: 'connected' | 'draining';
  /** Wall time in milliseconds. */
  readonly since: number;
  readonly in_flight: number;
  readonly calls: number;
  readonly errors: number;
  /** How many of the calls were made because another provider had not answered. */
  readonly hedges: number;
  readonly last_error: LastError | null;
  /** Over the last calls that were answered. */
  readonly latency: { readonly p50_ms: number | null; readonly p95_ms: number | null };
};

/** Ended by us, not by the service: no news about it. */
const ours: readonly CallOutcome[] = ['withdrawn', 'cancelled', 'store'];

/** A provider that is connected: its calls are counted, timed, and can be waited for or ended. */
export class Connection implements Provider {
  readonly #provider: Provider;
  readonly #clock: Clock;
  readonly #observe: CallObserver | undefined;
  readonly #running = new Set<(answer: Answer) => void>();
  readonly #latencies = new Latencies();
  readonly #since: number;
  readonly #closing = new AbortController();
  #draining = false;
  /** Places that were given to calls which have not begun yet. */
  #coming = 0;
  #calls = 0;
  #errors = 0;
  #hedges = 0;
  #lastError: LastError | null = null;
  #idle: (() => void)[] = [];

  constructor(provider: Provider, parts: { clock: Clock; observe?: CallObserver | undefined }) {
    this.#provider = provider;
    this.#clock = parts.clock;
    this.#observe = parts.observe;
    this.#since = parts.clock.wall();
  }

  get id(): string {
    return this.#provider.id;
  }

  get protocol(): string {
    return this.#provider.protocol;
  }

  get via(): Provider['via'] {
    return this.#provider.via;
  }

  hasMethod(method: string): boolean {
    return this.#provider.hasMethod(method);
  }

  /** Aborted when it is closed: questions of ours, which are counted nowhere, end with it. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** A call is going to come: it is waited for. Returns the way to say that it has, or that it came to nothing. */
  expect(): () => void {
    let coming = true;
    this.#coming++;
    return () => {
      if (!coming) return;
      coming = false;
      this.#coming--;
      this.#tellIdle();
    };
  }

  call(call: ProviderCall, { hedge = false }: { hedge?: boolean } = {}): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const started = this.#clock.monotonic();
    const finish = (answer: Answer) => {
      if (!this.#running.delete(finish)) return;
      this.#ended(call, answer, { ms: this.#clock.monotonic() - started, hedge });
      resolve(answer);
    };
    this.#running.add(finish);
    this.#calls++;
    if (hedge) this.#hedges++;
    void this.#send(call).then(finish);
    return promise;
  }

  /** A question of ours, which is counted nowhere. */
  ask(call: ProviderCall): Promise<Answer> {
    return this.#send(call);
  }

  /** What the dialect of the provider asks where nothing is asked in particular; null for nothing. */
  get probed(): string | null {
    return this.#provider.probe?.asked ?? null;
  }

  /** The question of its dialect, which is counted nowhere either. */
  async askHow(signal: AbortSignal): Promise<Probed> {
    if (this.closing.aborted) return { well: false, error: this.#interruption() };
    try {
      return (await this.#provider.probe?.ask(signal)) ?? { well: false, error: null };
    } catch (thrown) {
      return { well: false, error: GleitzeitError.from(thrown, 'GLZ2002').toRecord() };
    }
  }

  /** Another question of ours: whether the page at its host has one of these HTTP statuses. */
  async askPage({ path, least, most }: HealthPage, signal: AbortSignal): Promise<Answer> {
    try {
      const status = await this.#provider.look?.(path, signal);
      if (status === undefined) throw new GleitzeitError('GLZ1012', `${this.id} has no address to ask at`);
      if (status >= least && status <= most) return { word: 'done', result: String(status) };
      const details = { http_status: status };
      return {
        word: 'failed',
        error: errorRecord('GLZ2001', `${path} answered HTTP ${status}`, { details }),
      };
    } catch (thrown) {
      return { word: 'failed', error: GleitzeitError.from(thrown, 'GLZ2002').toRecord() };
    }
  }

  get isDraining(): boolean {
    return this.#draining;
  }

  /** What is under way goes on. */
  drain(): void {
    this.#draining = true;
  }

  /** Resolves when no call is under way, and none is going to come. */
  async idle(): Promise<void> {
    if (this.#isIdle) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle.push(resolve);
    await promise;
  }

  warm(): void {
    this.#provider.warm?.();
  }

  /** It does not answer. One that has calls may be busy with them, and is left to its work. */
  renew(silent_ms: number): void {
    if (this.#isIdle) this.#provider.renew?.(silent_ms);
  }

  abandon(left: AbandonedCall): void {
    this.#provider.abandon?.(left);
  }

  /** Calls that still run, or come later, are answered as interrupted, so that their tasks go elsewhere. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const finish of [...this.#running]) finish(this.#interrupted());
    await this.#provider.close?.();
  }

  status(): ConnectionStatus {
    const quantile = (share: number) => {
      const ms = this.#latencies.quantile(share);
      return ms === null ? null : roundedMs(ms);
    };
    return {
      id: this.id,
      protocol: this.protocol,
      state: this.#draining ? 'draining' : 'connected',
      since: this.#since,
      in_flight: this.#running.size,
      calls: this.#calls,
      errors: this.#errors,
      hedges: this.#hedges,
      last_error: this.#lastError,
      latency: { p50_ms: quantile(0.5), p95_ms: quantile(0.95) },
    };
  }

  /** Async, so that a provider that throws is heard like one that rejects. */
  async #send(call: ProviderCall): Promise<Answer> {
    if (this.closing.aborted) return this.#interrupted();
    try {
      return await this.#provider.call(call);
    } catch (thrown) {
      return { word: 'failed', error: GleitzeitError.from(thrown, 'GLZ2001').toRecord() };
    }
  }

  #ended(call: ProviderCall, answer: Answer, { ms, hedge }: { ms: number; hedge: boolean }): void {
    const outcome = outcomeOf(call, answer);
    if (!ours.includes(outcome)) {
      this.#latencies.add(ms);
      if (answer.word === 'failed') this.#failed(answer.error);
    }
    const { method, attempt } = call;
    const usage = answer.word === 'done' ? (answer.usage ?? null) : null;
    const { id: provider, protocol } = this;
    this.#observe?.({ provider, protocol, method, outcome, ms, attempt, hedge, usage });
    this.#tellIdle();
  }

  get #isIdle(): boolean {
    return this.#running.size === 0 && this.#coming === 0;
  }

  #tellIdle(): void {
    if (this.#isIdle) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #interrupted(): Answer {
    return { word: 'failed', error: this.#interruption() };
  }

  #interruption(): ErrorRecord {
    return errorRecord('GLZ2008', `the provider ${this.id} was disconnected before it answered`);
  }

  #failed(error: ErrorRecord): void {
    this.#errors++;
    this.#lastError = lastErrorOf(error, this.#clock.wall());
  }
}

/** Whatever a service makes of being given up by us, it is we who did it. */
function outcomeOf(call: ProviderCall, answer: Answer): CallOutcome {
  if (answer.word !== 'failed') return answer.word;
  const reason: unknown = call.signal.reason;
  return reason instanceof GleitzeitError && reason.class === 'cancelled'
    ? 'cancelled'
    : classOf(answer.error);
}
