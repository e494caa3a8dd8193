/**
 * A pool of 1,000 providers in virtual time, some slow, some hung, some failing half the time: how load, errors and latency
 * spread under each policy. The pools are the real ones; only time, chance and services are made up, so that every run prints
 * the same. `node bench/pool-simulation.ts [--providers 1000] [--rate 2000] [--seconds 10] [--seed 1]`
 */
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Answer } from '../src/core/answer.ts';
import { errorRecord } from '../src/core/errors.ts';
import { type Policy, policies } from '../src/core/pool/select.ts';
import type { Provider } from '../src/core/ports/provider.ts';
import type { Line } from '../src/core/ports/router.ts';
import { Pools } from '../src/router/pools.ts';
import { defaultPool, defaultProvider } from '../src/router/settings.ts';
import { SimulatedTime } from './simulated-time.ts';

const PROTOCOL = 'simulated/v1';
const ATTEMPTS = 5;
const TIMEOUT_MS = 1000;
/** By then the breakers have seen enough of those who are ill. */
const SETTLING = 0.3;

type Health = 'well' | 'slow' | 'hung' | 'flaky';
type Size = {
  readonly providers: number;
  readonly rate: number;
  readonly seconds: number;
  readonly seed: number;
};
type Task = { readonly id: number; readonly from: number; readonly tried: string[] };
type Service = { readonly health: Health; readonly usual_ms: number; calls: number };

class Simulation {
  readonly time = new SimulatedTime();
  readonly services = new Map<string, Service>();
  readonly latencies: number[] = [];
  readonly #draw: () => number;
  readonly #pools: Pools;
  readonly #parked = new Map<string, Task[]>();
  failed = 0;
  /** Attempts that failed once the breakers had settled, of so many. */
  late = { attempts: 0, failed: 0 };
  #settled = false;

  constructor(policy: Policy, { providers, seed }: Size) {
    this.#draw = lots(seed);
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    this.#pools = new Pools({ clock: this.time, timers: this.time, logger, draw: this.#draw });
    this.#pools.configure(PROTOCOL, { ...defaultPool, select: policy, sticky_by: 'params.user' });
    this.#pools.onRoom(async (line, places) => this.#call(line, places));
    for (let index = 0; index < providers; index++) this.#connect(`p${index}`);
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
  }

  #connect(id: string): void {
    const lot = this.#draw();
    const health: Health = lot < 0.02 ? 'hung' : lot < 0.05 ? 'flaky' : lot < 0.15 ? 'slow' : 'well';
    const service: Service = { health, usual_ms: health === 'slow' ? 200 : 20, calls: 0 };
    this.services.set(id, service);
    const provider: Provider = {
      id,
      protocol: PROTOCOL,
      hasMethod: () => true,
      call: () => {
        service.calls++;
        const { promise, resolve } = Promise.withResolvers<Answer>();
        const { ms, answer } = this.#answer(service);
        this.time.after(ms, () => resolve(answer));
        return promise;
      },
    };
    const limits = { concurrency: 128, rate: null };
    this.#pools.connect(provider, { settings: { ...defaultProvider, limits } });
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
    const params = { user: task.id % 5000 };
    const routed = this.#pools.route({ ...request, params, avoid: task.tried, called });
    if (routed.word === 'go') void this.#make(task, routed.passage);
    else this.#parked.set(nameOf(routed.line), [...(this.#parked.get(nameOf(routed.line)) ?? []), task]);
  }

  #call(line: Line, places: number): number {
    const tasks = this.#parked.get(nameOf(line))?.splice(0, places) ?? [];
    for (const task of tasks) this.time.after(0, () => this.#begin(task, true));
    return tasks.length;
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
    const answer = await passage.provider.call(call);
    passage.leave();
    task.tried.push(passage.provider.id);
    if (settled) this.late.attempts++;
    if (settled && answer.word === 'failed') this.late.failed++;
    if (answer.word === 'failed' && task.tried.length < ATTEMPTS) this.#begin(task);
    else if (answer.word === 'failed') this.failed++;
    else this.latencies.push(this.time.monotonic() - task.from);
  }
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

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function readSize(): Size {
  const { values } = parseArgs({
    options: {
      providers: { type: 'string', default: '1000' },
      rate: { type: 'string', default: '2000' },
      seconds: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
    },
  });
  const { providers, rate, seconds, seed } = values;
  return { providers: Number(providers), rate: Number(rate), seconds: Number(seconds), seed: Number(seed) };
}

async function row(policy: Policy, size: Size): Promise<string> {
  const simulation = new Simulation(policy, size);
  await simulation.run(size);
  const { services, latencies, failed, late } = simulation;
  const callsOf = (health: Health) =>
    [...services.values()].filter((service) => service.health === health).map(({ calls }) => calls);
  const mean = (list: readonly number[]) =>
    list.reduce((sum, one) => sum + one, 0) / Math.max(1, list.length);
  const well = callsOf('well');
  const cells = [
    policy,
    String(latencies.length),
    String(failed),
    `${((100 * late.failed) / Math.max(1, late.attempts)).toFixed(2)} %`,
    ...[0.5, 0.99, 1].map((share) => `${quantile(latencies, share).toFixed(0)} ms`),
    ...[0, 0.5, 1].map((share) => String(quantile(well, share))),
    ...(['slow', 'flaky', 'hung'] as const).map((health) => mean(callsOf(health)).toFixed(1)),
  ];
  return `| ${cells.join(' | ')} |`;
}

const size = readSize();
const head = ['policy', 'done', 'failed', 'attempts failed later', 'p50', 'p99', 'most'];
const spread = ['least of a well one', 'median', 'most', 'of a slow one', 'of a flaky one', 'of a hung one'];
console.log(`${size.providers} providers, ${size.rate} calls/s, ${size.seconds} s of virtual time\n`);
console.log(
  `| ${[...head, ...spread.map((text, index) => (index === 0 ? `calls: ${text}` : text))].join(' | ')} |`,
);
console.log(`|${' --- |'.repeat(head.length + spread.length)}`);
for (const policy of policies) console.log(await row(policy, size));
