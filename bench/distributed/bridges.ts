import { setTimeout as pause } from 'node:timers/promises';
import type { StoreOptions } from '../../src/index.ts';
import { type Bench, STEP } from '../gleitzeit.ts';
import { payload } from '../payload.ts';
import { type Agent, startAgent } from '../processes.ts';
import type { DistributedReport } from '../system.ts';
import { type Distributed, openDistributed } from './system.ts';

const AGENT_MS = 100;
/** Calls that a bridge makes at a time: so few that the machine is not what ends it. */
const CONCURRENCY = 32;
/** More than four bridges make at a time. */
const LOAD = 400;
const WAIT = { wait: 120_000 };
const STEADY_MS = 1500;
const MEASURED_MS = 3000;
/** Over so long it is looked at who makes how many of the calls. */
const WINDOW_MS = 400;
/** What counts as its share of the calls: a fifth less than half of them. */
const SHARE = 0.4;
const LIMIT_MS = 30_000;

type Report = Pick<DistributedReport, 'by_bridges' | 'share_after_start_ms' | 'share_after_ready_ms'>;

/** Under a load that does not end: one bridge, a second that is added, then two more. Each has an agent of its own. */
export async function measureBridges(store: StoreOptions, broker: string): Promise<Report> {
  const agents = await Promise.all(Array.from({ length: 4 }, () => startAgent('well', AGENT_MS)));
  const urls = agents.map(({ url }) => url);
  const [first = '', second = '', ...others] = urls;
  const options = { store, broker, agent: first, window: 4096, concurrency: CONCURRENCY };
  const system = await openDistributed(options);
  let load: Load | null = null;
  try {
    await system.addBridge(first);
    load = new Load(system.bench);
    await untilCalled(agents.slice(0, 1));
    const one = await steady(agents);
    const share = await addSecond(system, agents, second);
    const two = await steady(agents);
    for (const url of others) await system.addBridge(url);
    await untilCalled(agents);
    const four = await steady(agents);
    return { by_bridges: { 1: one, 2: two, 4: four }, ...share };
  } finally {
    await load?.stop();
    await system.close();
    await Promise.all(agents.map((agent) => agent.stop()));
  }
}

async function addSecond(system: Distributed, agents: readonly Agent[], url: string) {
  const started = performance.now();
  // Looked at from the beginning: it may have its share before it says that it takes tasks.
  const [bridge, shared] = await Promise.all([system.addBridge(url), untilShared(agents.slice(0, 2))]);
  return {
    share_after_start_ms: shared - started,
    share_after_ready_ms: Math.max(0, shared - bridge.ready_at),
  };
}

/** When the second of them was called for its share of a window's calls. */
async function untilShared(agents: readonly Agent[]): Promise<number> {
  const until = performance.now() + LIMIT_MS;
  let before = await callsOf(agents);
  while (performance.now() < until) {
    await pause(WINDOW_MS);
    const now = await callsOf(agents);
    const [first = 0, second = 0] = now.map((calls, index) => calls - (before[index] ?? 0));
    if (second > 0 && second >= SHARE * (first + second)) return performance.now();
    before = now;
  }
  throw new Error(`a second bridge did not get its share within ${LIMIT_MS / 1000} s`);
}

async function untilCalled(agents: readonly Agent[]): Promise<void> {
  const before = await callsOf(agents);
  const until = performance.now() + LIMIT_MS;
  while ((await callsOf(agents)).some((calls, index) => calls <= (before[index] ?? 0))) {
    if (performance.now() > until) throw new Error('a bridge got no calls');
    await pause(WINDOW_MS);
  }
}

/** Calls a second, once it has settled. */
async function steady(agents: readonly Agent[]): Promise<number> {
  await pause(STEADY_MS);
  const [before, began] = [sum(await callsOf(agents)), performance.now()];
  await pause(MEASURED_MS);
  return ((sum(await callsOf(agents)) - before) * 1000) / (performance.now() - began);
}

function callsOf(agents: readonly Agent[]): Promise<number[]> {
  return Promise.all(agents.map(async ({ url }) => Number(await (await fetch(url)).text())));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** So many tasks at every moment, until it is stopped. */
class Load {
  readonly #bench: Bench;
  readonly #lanes: Promise<void>[];
  #stopped = false;

  constructor(bench: Bench) {
    this.#bench = bench;
    this.#lanes = Array.from({ length: LOAD }, (_, lane) => this.#work(lane));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#lanes);
  }

  async #work(lane: number): Promise<void> {
    for (let index = 0; !this.#stopped; index++) {
      const { task_id } = await this.#bench.submit({ ...STEP, params: payload(`load-${lane}-${index}`) });
      await this.#bench.result(task_id, WAIT);
    }
  }
}
