import type { Answer } from '../core/answer.ts';
import type { ErrorClass, ErrorCode } from '../core/error-codes.ts';
import { classOf, type ErrorRecord, errorRecord, GleitzeitError } from '../core/errors.ts';
import { isObject, own } from '../core/json.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Provider, ProviderCall } from '../core/ports/provider.ts';
import { Latencies } from './latencies.ts';

/** How a call ended: with a result, put off, or with an error of this class. */
export type CallOutcome = Exclude<Answer['word'], 'failed'> | ErrorClass;

export type CallObserver = (call: {
  readonly provider: string;
  readonly protocol: string;
  readonly outcome: CallOutcome;
  readonly ms: number;
}) => void;

export type ConnectionStatus = {
  readonly id: string;
  readonly protocol: string;
  readonly state: 'connected' | 'draining';
  /** Wall time in milliseconds. */
  readonly since: number;
  readonly in_flight: number;
  readonly calls: number;
  readonly errors: number;
  readonly last_error: LastError | null;
  /** Over the last calls that were answered. */
  readonly latency: { readonly p50_ms: number | null; readonly p95_ms: number | null };
};

/** A service's own words are left out: they may repeat what the call held in secret. */
export type LastError = {
  readonly at: number;
  readonly error_code: ErrorCode;
  readonly message: string;
  readonly remote_code: number | null;
};

/** Ended by us, not by the service: no news about it. */
const ours: readonly ErrorClass[] = ['cancelled', 'store'];

/** A provider that is connected: its calls are counted, timed, and can be waited for or ended. */
export class Connection implements Provider {
  readonly #provider: Provider;
  readonly #clock: Clock;
  readonly #observe: CallObserver | undefined;
  readonly #running = new Set<(answer: Answer) => void>();
  readonly #latencies = new Latencies();
  readonly #since: number;
  #draining = false;
  #calls = 0;
  #errors = 0;
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

  hasMethod(method: string): boolean {
    return this.#provider.hasMethod(method);
  }

  call(call: ProviderCall): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const started = this.#clock.monotonic();
    const finish = (answer: Answer) => {
      if (!this.#running.delete(finish)) return;
      this.#ended(answer, this.#clock.monotonic() - started);
      resolve(answer);
    };
    this.#running.add(finish);
    this.#calls++;
    void this.#send(call).then(finish);
    return promise;
  }

  /** A question of ours, which is counted nowhere. */
  ask(call: ProviderCall): Promise<Answer> {
    return this.#send(call);
  }

  /** What is under way goes on. */
  drain(): void {
    this.#draining = true;
  }

  /** Resolves when no call is under way. */
  async idle(): Promise<void> {
    if (this.#running.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle.push(resolve);
    await promise;
  }

  /** Calls that still run are answered as interrupted, so that their tasks go elsewhere. */
  warm(): void {
    this.#provider.warm?.();
  }

  async close(): Promise<void> {
    const error = errorRecord('GLZ2008', `the provider ${this.id} was disconnected before it answered`);
    for (const finish of [...this.#running]) finish({ word: 'failed', error });
    await this.#provider.close?.();
  }

  status(): ConnectionStatus {
    const quantile = (share: number) => this.#latencies.quantile(share);
    return {
      id: this.id,
      protocol: this.protocol,
      state: this.#draining ? 'draining' : 'connected',
      since: this.#since,
      in_flight: this.#running.size,
      calls: this.#calls,
      errors: this.#errors,
      last_error: this.#lastError,
      latency: { p50_ms: quantile(0.5), p95_ms: quantile(0.95) },
    };
  }

  /** Async, so that a provider that throws is heard like one that rejects. */
  async #send(call: ProviderCall): Promise<Answer> {
    try {
      return await this.#provider.call(call);
    } catch (thrown) {
      return { word: 'failed', error: GleitzeitError.from(thrown, 'GLZ2001').toRecord() };
    }
  }

  #ended(answer: Answer, ms: number): void {
    const outcome = outcomeOf(answer);
    this.#latencies.add(ms);
    if (answer.word === 'failed' && !ours.includes(classOf(answer.error))) this.#failed(answer.error);
    this.#observe?.({ provider: this.id, protocol: this.protocol, outcome, ms });
    if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #failed(error: ErrorRecord): void {
    this.#errors++;
    this.#lastError = lastErrorOf(error, this.#clock.wall());
  }
}

export function lastErrorOf(error: ErrorRecord, at: number): LastError {
  const { error_code, remote_code = null } = error.data;
  return { at, error_code, message: wordsFor(error), remote_code };
}

/** Trouble on the way is told in our own words; what else there is may be quoted from what the service said. */
function wordsFor({ message, data }: ErrorRecord): string {
  const { details, remote_code, error_code } = data;
  const ownWords = error_code === 'GLZ2002' || error_code === 'GLZ2003' || error_code === 'GLZ2008';
  if (ownWords && details === undefined && remote_code === undefined) return message;
  const status = isObject(details) ? own(details, 'http_status') : undefined;
  return typeof status === 'number'
    ? `the service answered HTTP ${status}`
    : 'the service answered with an error';
}

function outcomeOf(answer: Answer): CallOutcome {
  return answer.word === 'failed' ? classOf(answer.error) : answer.word;
}
