import type { Answer } from '../core/answer.ts';
import { errorRecord, type Fault, GleitzeitError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { lineName } from '../core/parked.ts';
import type { Provider } from '../core/ports/provider.ts';
import type { Came, Line, Passage, RouteRequest } from '../core/ports/router.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { lineLogger } from '../telemetry/logger.ts';
import type { CountingParts } from './counting.ts';
import { Pools } from './pools.ts';
import { defaultPool, defaultProvider, type PoolSettings, type ProviderSettings } from './settings.ts';

export const settingsOf = (more: Partial<ProviderSettings> = {}): ProviderSettings => ({
  ...defaultProvider,
  ...more,
});
export const poolOf = (more: Partial<PoolSettings> = {}): PoolSettings => ({ ...defaultPool, ...more });

export const failed = (code: 'GLZ2001' | 'GLZ2004' | 'GLZ2010', retry_after_ms?: number): Answer => ({
  word: 'failed',
  error: errorRecord(code, 'no', retry_after_ms === undefined ? {} : { retry_after_ms }),
});

export const faulty = (fault: Fault): Answer => ({
  word: 'failed',
  error: errorRecord('GLZ2010', 'no', { fault }),
});

export const answered: Answer = { word: 'done', result: '1' };

/** Numbers that look drawn by lot, the same ones each time. */
export function lots(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export type TestTask = {
  readonly id: string;
  readonly method?: string;
  readonly protocol?: string;
  readonly params?: JsonObject;
  readonly workflow_id?: string;
  readonly only?: string;
};

/** Stands for an engine and its store: who has to wait is parked under the name of the line, and comes when it is called. */
export class TestQueue {
  readonly time = new VirtualTime();
  readonly pools: Pools;
  /** Name of the line → those who wait in it, in order. */
  readonly parked = new Map<string, TestTask[]>();
  /** `task provider` of each call, in order. */
  readonly calls: string[] = [];
  readonly results = new Map<string, Answer>();
  readonly unserved: TestTask[] = [];
  /** How often tasks were told to wait. */
  waits = 0;
  /** Fails as many attempts as it is told to, with other providers each time, before the failure counts. */
  attempts = 1;
  readonly #ranks = new Map<string, number>();
  readonly #tried = new Map<string, string[]>();
  /** Providers whose errors were final, and that were left for others. */
  readonly #refused = new Map<string, string[]>();

  /** `kept`: what a store would keep beyond the life of these pools. */
  constructor(seed = 1, kept: (time: VirtualTime) => Partial<CountingParts> = () => ({})) {
    const logger = lineLogger(
      'error',
      () => {},
      () => new Date(0),
    );
    this.pools = new Pools({
      ...{ clock: this.time, timers: this.time, logger, draw: lots(seed) },
      ...kept(this.time),
    });
    this.pools.onRoom(
      (line, places) => new Promise((told) => this.time.soon(() => told(this.call(line, places)))),
    );
    this.pools.onChange(() => this.time.soon(() => this.callAll(1)));
  }

  /** Answers after so long, or as the function says. */
  provider(
    id: string,
    answer: (call: { method: string; params: JsonObject }) => { ms: number; answer?: Answer },
    more: { protocol?: string; settings?: Partial<ProviderSettings>; methods?: readonly string[] } = {},
  ): { running: number; most: number; times: number[] } {
    const seen = { running: 0, most: 0, times: [] as number[] };
    const provider: Provider = {
      id,
      protocol: more.protocol ?? 'a/v1',
      hasMethod: (method) => more.methods?.includes(method) ?? true,
      call: ({ method, params }) => {
        const { promise, resolve } = Promise.withResolvers<Answer>();
        const { ms, answer: said = answered } = answer({ method, params });
        seen.running++;
        seen.most = Math.max(seen.most, seen.running);
        seen.times.push(this.time.monotonic());
        this.time.after(ms, () => {
          seen.running--;
          resolve(said);
        });
        return promise;
      },
    };
    this.pools.connect(provider, { settings: settingsOf(more.settings) });
    return seen;
  }

  submit(...tasks: readonly TestTask[]): void {
    for (const task of tasks) this.#ranks.set(task.id, this.#ranks.size);
    for (const task of tasks) this.#route(task, false);
  }

  /** All that are not answered yet, wherever they are. */
  waiting(): string[] {
    return [...this.parked].flatMap(([line, tasks]) => tasks.map(({ id }) => `${id}: ${line}`));
  }

  call(line: Pick<Line, 'kind' | 'key'>, places: number): Came {
    const waiting = this.parked.get(lineName(line)) ?? [];
    const tasks = waiting.splice(0, places);
    const more = waiting.length;
    for (const task of tasks) this.#route(task, true, { from: lineName(line) });
    return { count: tasks.length, more };
  }

  callAll(places: number): void {
    for (const [from, tasks] of [...this.parked])
      for (const task of tasks.splice(0, places)) this.#route(task, false, { from, found: true });
    for (const task of this.unserved.splice(0)) this.#route(task, false);
  }

  #rank({ id }: TestTask): number {
    return this.#ranks.get(id) ?? 0;
  }

  #route(task: TestTask, called: boolean, came: Pick<RouteRequest, 'from' | 'found'> = {}): void {
    const { id, method = 'echo', protocol = 'a/v1', params = {}, workflow_id = null, only } = task;
    const avoid = this.#tried.get(id) ?? [];
    const refused = this.#refused.get(id) ?? [];
    const whose = { task_id: id, workflow_id, avoid, refused, only };
    const request: RouteRequest = { protocol, method, params, called, ...came, ...whose };
    try {
      const routed = this.pools.route(request);
      if (routed.word === 'wait') {
        this.waits++;
        const name = lineName(routed.line);
        const inLine = [...(this.parked.get(name) ?? []), task];
        this.parked.set(
          name,
          inLine.sort((a, b) => this.#rank(a) - this.#rank(b)),
        );
      } else void this.#make(task, request, routed.passage);
    } catch (thrown) {
      if (GleitzeitError.from(thrown).code !== 'GLZ2007') throw thrown;
      this.unserved.push(task);
    }
  }

  async #make(task: TestTask, request: RouteRequest, passage: Passage): Promise<void> {
    const { provider } = passage;
    this.calls.push(`${task.id} ${provider.id}`);
    const { method, params, task_id, workflow_id } = request;
    const { signal } = new AbortController();
    const call = { method, params, call_id: task_id, task_id, workflow_id, attempt: 1, signal };
    const answer = await provider.call(call);
    if (answer.word === 'failed' && answer.error.data.fault !== undefined && passage.others?.() === true)
      this.#refused.set(task.id, [...(this.#refused.get(task.id) ?? []), provider.id]);
    passage.leave();
    const tried = [...(this.#tried.get(task.id) ?? []), provider.id];
    this.#tried.set(task.id, tried);
    if (answer.word === 'failed' && tried.length < this.attempts) this.#route(task, false);
    else this.results.set(task.id, answer);
  }
}

/** Five tasks at a time, one after another. */
export async function work(queue: TestQueue, count: number, method = 'echo'): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${method}${queue.results.size + index}`);
  for (let at = 0; at < count; at += 5) {
    queue.submit(...ids.slice(at, at + 5).map((id) => ({ id, method })));
    await queue.time.advance(100);
  }
  return ids;
}

export const wellDone = (queue: TestQueue, ids: readonly string[]) =>
  ids.filter((id) => queue.results.get(id)?.word === 'done').length;
export const callsOf = (queue: TestQueue, id: string) =>
  queue.calls.filter((call) => call.endsWith(` ${id}`)).length;
