/** A pool in virtual time: the pools are the real ones; only time, chance and services are made up, so that every run is the same. */
import { setImmediate } from 'node:timers/promises';
import type { Answer } from '../src/core/answer.ts';
import { errorRecord } from '../src/core/errors.ts';
import type { Policy } from '../src/core/pool/select.ts';
import type { Provider } from '../src/core/ports/provider.ts';
import type { Came, Line } from '../src/core/ports/router.ts';
import { Pools } from '../src/router/pools.ts';
import { defaultPool, defaultProvider, type ProviderSettings } from '../src/router/settings.ts';
import { SimulatedTime } from './simulated-time.ts';

const PROTOCOL = 'simulated/v1';
const ATTEMPTS = 5;
const TIMEOUT_MS = 1000;
/** By then the breakers have seen enough of those who are ill. */
const SETTLING = 0.3;

export type Health = 'well' | 'slow' | 'hung' | 'flaky';
export type Size = {
  readonly providers: number;
  readonly rate: number;
  readonly seconds: number;
  readonly seed: number;
};
/** `mixed`: two of four providers are near, one is in another zone, one in a later tier; one of ten has a rate, and users have a limit. */
export type Arrangement = 'plain' | 'mixed';
type Group = 'near' | 'far' | 'reserve';
type Task = { readonly id: number; readonly from: number; readonly tried: string[] };
type Service = {
  readonly health: Health;
  readonly group: Group;
  readonly limited: boolean;
  readonly usual_ms: number;
  /** When each call began. */
  readonly begun: number[];
};

const ZONE = 'here';
const RATE = { burst: 5, per_ms: 5 / 1000 };
const PER_USER = 2;
/** Few enough that some ask more at once than they may. */
const USERS = 50;

export class SimulatedPool {
  readonly time = new SimulatedTime();
  readonly services = new Map<string, Service>();
  readonly latencies: number[] = [];
  readonly #draw: () => number;
  readonly #pools: Pools;
  readonly #parked = new Map<string, Task[]>();
  readonly #arrangement: Arrangement;
  readonly #running = new Map<number, number>();
  failed = 0;
  /** The most calls that one user had at once. */
  most_of_user = 0;
  /** Attempts that failed once the breakers had settled, of so many. */
  late = { attempts: 0, failed: 0 };
  #settled = false;

  constructor(policy: Policy, { providers, seed }: Size, arrangement: Arrangement = 'plain') {
    this.#arrangement = arrangement;
    this.#draw = lots(seed);
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    this.#pools = new Pools({ clock: this.time, timers: this.time, logger, draw: this.#draw });
    const per_key = { key: 'params.user', concurrency: PER_USER, rate: null };
    const mixed = arrangement === 'mixed' ? { zone: ZONE, per_key } : {};
    this.#pools.configure(PROTOCOL, { ...defaultPool, select: policy, sticky_by: 'params.user', ...mixed });
    this.#pools.onRoom(async (line, places) => this.#call(line, places));
    for (let index = 0; index < providers; index++) this.#connect(index);
  }

  /** The most calls that one with a rate began within a second. */
  get most_in_a_second(): number {
    const limited = [...this.services.values()].filter((service) => service.limited);
    return Math.max(0, ...limited.map(({ begun }) => mostWithin(begun, 1000)));
  }

  callsOf(is: (service: Service) => boolean): readonly number[] {
    return [...this.services.values()].filter(is).map(({ begun }) => begun.length);
  }

  async run({ rate, seconds }: Size): Promise<void> {
    const total = rate * seconds;
    for (let id = 0; id < total; id++) {
      const from = (id * 1000) / rate;
      this.time.after(from, () => {
        this.#settled = id > total * SETTLING;
        this.#begin({ id, from, tried: [] });
      });
    }
    while (this.time.next()) await setImmediate();
    await this.#pools.stop();
    const ended = this.latencies.length + this.failed;
    if (ended !== total) throw new Error(`of ${total} tasks ${ended} have ended`);
  }

  #connect(index: number): void {
    const id = `p${index}`;
    const mixed = this.#arrangement === 'mixed';
    const group: Group = mixed && index % 4 === 2 ? 'far' : mixed && index % 4 === 3 ? 'reserve' : 'near';
    const limited = mixed && index % 10 === 0;
    const lot = this.#draw();
    const health: Health = lot < 0.02 ? 'hung' : lot < 0.05 ? 'flaky' : lot < 0.15 ? 'slow' : 'well';
    const usual_ms = health === 'slow' ? 200 : 20;
    const service: Service = { health, group, limited, usual_ms, begun: [] };
    this.services.set(id, service);
    const provider: Provider = {
      id,
      protocol: PROTOCOL,
      hasMethod: () => true,
      call: () => {
        service.begun.push(this.time.monotonic());
        const { promise, resolve } = Promise.withResolvers<Answer>();
        const { ms, answer } = this.#answer(service);
        this.time.after(ms, () => resolve(answer));
        return promise;
      },
    };
    const settings: ProviderSettings = {
      ...defaultProvider,
      limits: { concurrency: 128, rate: limited ? RATE : null },
      zone: group === 'far' ? 'elsewhere' : ZONE,
      tier: group === 'reserve' ? 1 : 0,
    };
    this.#pools.connect(provider, { settings });
  }

  #answer({ health, usual_ms }: Service): { ms: number; answer: Answer } {
    if (health === 'hung')
      return { ms: TIMEOUT_MS, answer: { word: 'failed', error: errorRecord('GLZ2003', 'no answer') } };
    if (health === 'flaky' && this.#draw() < 0.5)
      return { ms: 2, answer: { word: 'failed', error: errorRecord('GLZ2001', 'failed') } };
    // Most answers take about as long as usual, a few several times that.
    const ms = usual_ms * (0.5 - Math.log(1 - this.#draw()) / 2);
    return { ms, answer: { word: 'done', result: '1' } };
  }

  #begin(task: Task, called = false): void {
    const request = { protocol: PROTOCOL, method: 'work', workflow_id: null, task_id: String(task.id) };
    const params = { user: this.#userOf(task) };
    const routed = this.#pools.route({ ...request, params, avoid: task.tried, called });
    if (routed.word === 'go') void this.#make(task, routed.passage);
    else this.#parked.set(nameOf(routed.line), [...(this.#parked.get(nameOf(routed.line)) ?? []), task]);
  }

  #call(line: Line, places: number): Came {
    const waiting = this.#parked.get(nameOf(line)) ?? [];
    const tasks = waiting.splice(0, places);
    for (const task of tasks) this.time.after(0, () => this.#begin(task, true));
    return { count: tasks.length, more: waiting.length };
  }

  async #make(task: Task, passage: { provider: Provider; leave(): void }): Promise<void> {
    const id = String(task.id);
    const { signal } = new AbortController();
    const settled = this.#settled;
    const call = {
      method: 'work',
      params: {},
      call_id: id,
      task_id: id,
      workflow_id: null,
      attempt: 1,
      signal,
    };
    const user = this.#userOf(task);
    this.#count(user, 1);
    const answer = await passage.provider.call(call);
    this.#count(user, -1);
    passage.leave();
    task.tried.push(passage.provider.id);
    if (settled) this.late.attempts++;
    if (settled && answer.word === 'failed') this.late.failed++;
    if (answer.word === 'failed' && task.tried.length < ATTEMPTS) this.#begin(task);
    else if (answer.word === 'failed') this.failed++;
    else this.latencies.push(this.time.monotonic() - task.from);
  }

  #userOf({ id }: Task): number {
    return id % (this.#arrangement === 'mixed' ? USERS : 5000);
  }

  #count(user: number, change: number): void {
    const running = (this.#running.get(user) ?? 0) + change;
    this.#running.set(user, running);
    this.most_of_user = Math.max(this.most_of_user, running);
  }
}

/** Of times in order, how many are the most that lie within so long. */
function mostWithin(times: readonly number[], ms: number): number {
  let most = 0;
  for (let first = 0, last = 0; last < times.length; last++) {
    while ((times[last] ?? 0) - (times[first] ?? 0) >= ms) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

function nameOf({ kind, key }: Line): string {
  return `${kind} ${key}`;
}

/** Numbers that look drawn by lot, the same ones each time. */
function lots(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
