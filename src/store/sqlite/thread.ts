import { Worker } from 'node:worker_threads';
import { GleitzeitError } from '../../core/errors.ts';
import { errorFrom, type Reply } from './messages.ts';

type Pending = { resolve(value: unknown): void; reject(error: Error): void };

export type ThreadOptions = {
  /** The module to run, without its ending: a clone has .ts, the built package .js. */
  readonly module: string;
  /** What the thread is told first; `again` when one before it died. */
  readonly open: (again: boolean) => unknown;
  /** Called for messages that answer nothing. */
  readonly told?: () => void;
  /** Starts what answers somewhere else than on a thread of its own. */
  readonly start?: (() => Peer) | undefined;
};

/** What answers, wherever it runs. */
export type Peer = {
  postMessage(message: unknown): void;
  listen(listeners: { readonly reply: (reply: Reply) => void; readonly lost: (why: string) => void }): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
};

/**
 * A thread that answers calls, seen from outside. One that dies takes its pending calls with it, and the next call
 * starts another. It keeps the process alive only while something is pending.
 */
export class Thread {
  readonly #options: ThreadOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Peer | null;
  #died = false;
  #closed = false;
  #lastId = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
    this.#worker = this.#start();
  }

  /** Resolves when the thread is ready; rejects with what is in the way. */
  async open(): Promise<void> {
    const worker = this.#worker ?? this.#start();
    this.#worker = worker;
    try {
      await this.#ask('open', this.#options.open(this.#died));
    } catch (thrown) {
      // What was asked of it meanwhile is not answered any more.
      this.#lose(worker, 'it could not be opened');
      await worker.terminate();
      throw thrown;
    }
  }

  call<Value>(method: string, value: unknown): Promise<Value> {
    if (this.#closed) return Promise.reject(new GleitzeitError('GLZ3001', 'the store is closed'));
    if (this.#worker !== null) return this.#ask(method, value) as Promise<Value>;
    return this.open().then(() => this.#ask(method, value) as Promise<Value>);
  }

  /** Lets the thread finish what it was asked before, and ends it. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const worker = this.#worker;
    if (worker === null) return;
    try {
      await this.#ask('close', null);
    } finally {
      this.#worker = null;
      await worker.terminate();
    }
  }

  #start(): Peer {
    const worker = this.#options.start?.() ?? newThread(this.#options.module);
    worker.listen({ reply: (reply) => this.#take(reply), lost: (why) => this.#lose(worker, why) });
    worker.unref();
    return worker;
  }

  #ask(method: string, value: unknown): Promise<unknown> {
    const worker = this.#worker;
    if (worker === null) return Promise.reject(lost('its thread ended'));
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      if (this.#pending.size === 0) worker.ref();
      this.#pending.set(id, { resolve, reject });
      worker.postMessage([id, method, value]);
    });
  }

  #take([id, value, error]: Reply): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) {
      this.#options.told?.();
      return;
    }
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker?.unref();
    if (error === undefined) pending.resolve(value);
    else pending.reject(errorFrom(error));
  }

  #lose(worker: Peer, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#died = true;
    for (const { reject } of this.#pending.values()) reject(lost(why));
    this.#pending.clear();
  }
}

function newThread(name: string): Peer {
  const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const module = new URL(`${name}${ending}`, import.meta.url);
  // Options that the process was started with may be about its own script (`--input-type`), not about this one.
  const worker = new Worker(module, { execArgv: [] });
  return {
    postMessage: (message) => worker.postMessage(message),
    listen: ({ reply, lost: ended }) => {
      worker.on('message', reply);
      worker.on('error', (error) => ended(GleitzeitError.from(error).message));
      worker.on('exit', () => ended('its thread ended'));
    },
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    terminate: () => worker.terminate(),
  };
}

function lost(why: string): GleitzeitError {
  return new GleitzeitError('GLZ3001', 'the store stopped before it answered', {
    reason: `${why}; what was asked of it may have been done or not`,
    hint: 'ask again: the store starts anew by itself',
  });
}
