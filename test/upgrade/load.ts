import { setTimeout as pause } from 'node:timers/promises';
import { call } from '../server/call.ts';

const AT_ONCE = 4;
const WAIT_MS = 5000;

export const loadProtocol = {
  name: 'load/v1',
  methods: { step: { params: { n: { type: 'integer', required: true } } } },
} as const;

/** What the agent answers to a step. */
export const answerTo = (n: number) => ({ n: n + 1 });

/** Three steps, each with what the one before it gave. */
const workflow = {
  name: 'load',
  tasks: [
    { id: 'a', protocol: 'load/v1', method: 'step', params: { n: '${workflow.input.n}' } },
    { id: 'b', protocol: 'load/v1', method: 'step', params: { n: '${a.result.n}' }, dependencies: ['a'] },
    { id: 'c', protocol: 'load/v1', method: 'step', params: { n: '${b.result.n}' }, dependencies: ['b'] },
  ],
};

export type Finished = { readonly workflow_id: string; readonly n: number; readonly results: unknown };

/** Clients that submit one run after the other and wait for each, whichever engine answers. */
export class Load {
  readonly finished: Finished[] = [];
  readonly #urls: () => readonly string[];
  readonly #clients: Promise<void>[];
  readonly #waiting = new Set<() => void>();
  #next = 0;
  #over = false;

  constructor(urls: () => readonly string[]) {
    this.#urls = urls;
    this.#clients = Array.from({ length: AT_ONCE }, () => this.#client());
  }

  /** Resolves when so many more have finished, and at once where a client has failed. */
  async more(count: number): Promise<void> {
    const wanted = this.finished.length + count;
    const enough = new Promise<void>((resolve) => {
      const look = () => {
        if (this.finished.length < wanted) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
    await Promise.race([enough, Promise.all(this.#clients)]);
  }

  async end(): Promise<readonly Finished[]> {
    this.#over = true;
    await Promise.all(this.#clients);
    return this.finished;
  }

  async #client(): Promise<void> {
    while (!this.#over) {
      const n = this.#next++;
      // Asked for again in the same name, so that a lost answer makes no second run.
      const params = { workflow, input: { n }, idempotency_key: `load-${n}` };
      const { workflow_id } = await this.#ask<{ workflow_id: string }>('workflow.submit', params);
      this.finished.push({ workflow_id, n, results: await this.#results(workflow_id) });
      for (const look of this.#waiting) look();
    }
  }

  async #results(workflow_id: string): Promise<unknown> {
    for (;;) {
      const told = await this.#ask<{ status: string; results: unknown }>('workflow.results', {
        ...{ workflow_id, wait: WAIT_MS },
      });
      if (told.status === 'completed') return told.results;
      if (told.status !== 'running') throw new Error(`the run ${workflow_id} is ${told.status}`);
    }
  }

  /** Of whoever is there: one that is stopping answers nobody, and one that says no says so to everybody. */
  async #ask<Result>(method: string, params: object): Promise<Result> {
    for (;;) {
      const urls = this.#urls();
      const url = urls[Math.floor(Math.random() * urls.length)];
      try {
        if (url !== undefined) return await call<Result>(url, method, params);
      } catch (error) {
        if (String(error).includes('GLZ1')) throw error;
      }
      await pause(20);
    }
  }
}
