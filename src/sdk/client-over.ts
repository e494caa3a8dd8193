import type { MethodName, ResultOf } from '../api/methods.ts';
import type { Json } from '../core/json.ts';
import type { RpcParams } from '../rpc/messages.ts';
import type { Caller, SingleCall } from './caller.ts';
import type { CallArguments, CallOptions, Client, RunWaitOptions, WaitOptions } from './client.ts';
import { Conversation } from './conversation.ts';
import type { EventFilter, EventStream } from './event.ts';
import { limited, settleUnder } from './limited.ts';
import { type Persistence, persist } from './persist.ts';
import type { OpenPipe } from './pipe.ts';
import { closedClient, isStopping, timedOut } from './problems.ts';
import { patienceOf, type Reconnect, type WhenAway } from './reconnect.ts';
import { mayRepeat } from './repeats.ts';
import { Stream } from './stream.ts';
import { WAIT_MS, type Waited, Waits } from './waits.ts';

export type OverOptions = {
  /** How the other end is called in errors. */
  readonly name?: string | undefined;
  /** For calls that do not say; 30 seconds where nothing is said. */
  readonly timeout_ms?: number | undefined;
  readonly reconnect?: Reconnect | undefined;
  /** Hears when the connection that events and waits come over is lost, and when it is there again. */
  readonly when_away?: WhenAway | undefined;
};

const TIMEOUT_MS = 30_000;

/** A client over anything that carries texts both ways: a socket of one's own, or a server in the same process. */
export function clientOver(open: OpenPipe, options: OverOptions = {}): Client {
  const url = options.name ?? 'the server';
  const persistence = { patience: patienceOf(options.reconnect), known: { reached: false } };
  const conversation = new Conversation({ open, url, ...persistence, whenAway: options.when_away });
  const caller = overPipe(conversation, persistence);
  return new CallingClient({ conversation, caller, timeout_ms: options.timeout_ms });
}

export type ClientParts = {
  readonly conversation: Conversation;
  /** For single calls. */
  readonly caller: Caller;
  readonly timeout_ms: number | undefined;
};

export class CallingClient implements Client {
  readonly #parts: ClientParts;
  readonly #waits: Waits;
  readonly #closing = new AbortController();

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#waits = new Waits(parts.conversation);
  }

  async call<Name extends MethodName>(method: Name, ...rest: CallArguments<Name>): Promise<ResultOf<Name>> {
    const [params, options] = rest;
    // The server answers by the schema that the type is drawn from.
    return (await this.request(method, params, options)) as ResultOf<Name>;
  }

  async request(method: string, params?: unknown, options: CallOptions = {}): Promise<unknown> {
    const call: SingleCall = { method, params: asParams(params), repeatable: mayRepeat(method, params) };
    // A call that asks the server to wait has that much more time.
    const timeout_ms = (options.timeout_ms ?? this.#parts.timeout_ms ?? TIMEOUT_MS) + waitOf(params);
    return this.#limited(`no answer to ${method} came`, { ...options, timeout_ms }, (signal) =>
      this.#parts.caller.call(call, signal),
    );
  }

  events(
    filter: EventFilter = {},
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): EventStream {
    return new Stream(this.#parts.conversation, filter, signal);
  }

  async taskResult(task_id: string, options: WaitOptions = {}): Promise<ResultOf<'task.result'>> {
    const answer = await this.#settled(
      { method: 'task.result', id: task_id, params: { task_id } },
      `task ${task_id} did not settle`,
      options,
    );
    return answer as ResultOf<'task.result'>;
  }

  async runResults(
    workflow_id: string,
    { tasks, ...options }: RunWaitOptions = {},
  ): Promise<ResultOf<'workflow.results'>> {
    const params = tasks === undefined ? { workflow_id } : { workflow_id, tasks };
    const answer = await this.#settled(
      { method: 'workflow.results', id: workflow_id, params },
      `run ${workflow_id} did not settle`,
      options,
    );
    return answer as ResultOf<'workflow.results'>;
  }

  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(closedClient(this.#parts.conversation.url));
    this.#parts.conversation.close();
  }

  #settled(waited: Waited, late: string, options: WaitOptions): Promise<Json> {
    return this.#limited(late, options, (signal) => this.#waits.settled(waited, signal));
  }

  #limited(
    late: string,
    { signal, timeout_ms }: CallOptions,
    work: (signal: AbortSignal) => Promise<Json>,
  ): Promise<Json> {
    const { url } = this.#parts.conversation;
    const closing = this.#closing.signal;
    return limited({ signal, closing, timeout_ms, late: (ms) => timedOut(url, late, ms) }, work);
  }
}

/** Single calls over the same pipe as everything else; the line itself is what tries again after a cut. */
function overPipe(conversation: Conversation, persistence: Pick<Persistence, 'patience' | 'known'>): Caller {
  return {
    call: ({ method, params, repeatable }, signal) => {
      const after_cut = repeatable ? 'again' : 'reject';
      const mayRepeat = (error: unknown) => repeatable && isStopping(error);
      return persist({ ...persistence, mayRepeat, signal }, () =>
        settleUnder<Json>(signal, (resolve, reject) =>
          conversation.ask({
            method,
            params,
            after_cut,
            settle: (settled) => ('error' in settled ? reject(settled.error) : resolve(settled.result)),
          }),
        ),
      );
    },
  };
}

function asParams(params: unknown): RpcParams | undefined {
  if (params === undefined || isStructured(params)) return params;
  throw new TypeError('params must be an object, or a list');
}

/** What it holds is for JSON to write and for the server to judge. */
function isStructured(params: unknown): params is RpcParams {
  return typeof params === 'object' && params !== null;
}

function waitOf(params: unknown): number {
  const { wait } = typeof params === 'object' && params !== null && 'wait' in params ? params : {};
  // What a text says is for the server to read; it waits no longer than this.
  if (typeof wait === 'string') return WAIT_MS;
  return typeof wait === 'number' && wait > 0 ? wait : 0;
}
