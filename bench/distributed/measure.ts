import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { StoreOptions } from '../../src/index.ts';
import { startKafka } from '../../test/services/kafka.ts';
import type { Restartable } from '../../test/services/restartable.ts';
import { IN_FLIGHT } from '../agent-client.ts';
import { cpuSeconds, cpuSecondsOfTree, parentOf } from '../cpu.ts';
import { type Bench, STEP } from '../gleitzeit.ts';
import { openCalling } from '../gleitzeit-calling.ts';
import { inFlight, latencies, seconds } from '../measure.ts';
import { payload, payloads } from '../payload.ts';
import { type Agent, startAgent } from '../processes.ts';
import type { DistributedReport } from '../system.ts';
import { measureBridges } from './bridges.ts';
import { measureSlow } from './slow.ts';
import { type Distributed, openDistributed } from './system.ts';

const WAIT = { wait: 120_000 };
const CALL = 1000;
/** By then everybody's code is compiled. */
const WARM = 5000;
const LATENCIES = 300;
const LOOK_MS = 5;

type StoreOf = (part: string) => StoreOptions;

/** An engine that makes its calls itself, then one whose calls leave through Kafka; then what bridges and slow agents do. */
export async function measureDistributed(storeOf: StoreOf, tasks: number): Promise<DistributedReport> {
  const kafka = await startKafka();
  try {
    const [local_drained, local_single] = await measureLocal(storeOf('local'), tasks);
    const rates = await measureRates({ store: storeOf('kafka'), kafka, tasks });
    const bridges = await measureBridges(storeOf('bridges'), kafka.url);
    const slow = await measureSlow(storeOf('slow'), kafka.url);
    return { local_drained, local_single, ...rates, ...bridges, ...slow };
  } finally {
    await kafka.stop();
  }
}

async function measureLocal(store: StoreOptions, tasks: number): Promise<[drained: number, single: number]> {
  const agent = await startAgent();
  const bench = await openCalling(store, () => {}, agent.url);
  try {
    await warm(bench);
    return [await drain(bench, tasks), await single(bench, tasks)];
  } finally {
    await bench.stop();
    await agent.stop();
  }
}

type Place = { readonly store: StoreOptions; readonly kafka: Restartable; readonly tasks: number };

async function measureRates({ store, kafka, tasks }: Place) {
  const agent = await startAgent();
  const system = await openDistributed({ store, broker: kafka.url, agent: agent.url });
  try {
    await system.addBridge(agent.url);
    const { bench } = system;
    await warm(bench);
    const cpu = await processes(store, { system, kafka, agent });
    const before = await cpu();
    const drained = await drain(bench, tasks);
    const after = await cpu();
    const cpu_us = Object.fromEntries(
      Object.entries(after).map(([name, used]) => [name, ((used - (before[name] ?? 0)) * 1e6) / tasks]),
    );
    const one = (index: number) => run(bench, `one-${index}`);
    return {
      ...{ drained, cpu_us, single: await single(bench, tasks) },
      task_ms: await latencies(LATENCIES, one),
    };
  } finally {
    await system.close();
    await agent.stop();
  }
}

type Parts = { readonly system: Distributed; readonly kafka: Restartable; readonly agent: Agent };

/** What each process has used, in seconds of a core. */
async function processes(store: StoreOptions, { system, kafka, agent }: Parts) {
  const postgres = store.type === 'postgres' ? await postmaster(store.url) : 0;
  const [bridge] = system.bridges;
  return async (): Promise<Record<string, number>> => ({
    'engine and client': await cpuSeconds(process.pid),
    bridge: await cpuSeconds(bridge?.pid ?? 0),
    Kafka: await cpuSeconds(kafka.pid),
    Postgres: await cpuSecondsOfTree(postgres),
    agent: await cpuSeconds(agent.pid),
  });
}

/** The process that has started the one we talk to. */
async function postmaster(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return await parentOf(rows[0]?.pid ?? 0);
  } finally {
    await client.end();
  }
}

async function warm(bench: Bench): Promise<void> {
  await drain(bench, WARM);
  await single(bench, WARM);
}

/** Tasks a second of a queue that is there already. */
async function drain(bench: Bench, tasks: number): Promise<number> {
  await bench.quiet();
  for (let done = 0; done < tasks; done += CALL) {
    const call = payloads(`drain-${done}`, Math.min(CALL, tasks - done));
    await bench.submitMany(call.map((params) => ({ ...STEP, params })));
  }
  const completed = async () => (await bench.stats()).tasks.completed ?? 0;
  const goal = (await completed()) + tasks;
  const took = await seconds(async () => {
    await bench.start();
    while ((await completed()) < goal) await pause(LOOK_MS);
  });
  return tasks / took;
}

async function single(bench: Bench, tasks: number): Promise<number> {
  return tasks / (await seconds(() => inFlight(tasks, IN_FLIGHT, (index) => run(bench, `single-${index}`))));
}

async function run(bench: Bench, key: string): Promise<void> {
  const { task_id } = await bench.submit({ ...STEP, params: payload(key) });
  const { status } = await bench.result(task_id, WAIT);
  if (status !== 'completed') throw new Error(`the task ${key} is ${status}`);
}
