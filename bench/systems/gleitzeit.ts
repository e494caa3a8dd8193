import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StoreOptions } from '../../src/index.ts';
import { measureDialects } from '../dialects.ts';
import { measureDistributed } from '../distributed/measure.ts';
import { type Bench, openBench, Progress, STEP } from '../gleitzeit.ts';
import { openCalling } from '../gleitzeit-calling.ts';
import { openServed } from '../gleitzeit-served.ts';
import { measureLeague } from '../league.ts';
import { measureLimits } from '../limits.ts';
import { inFlight } from '../measure.ts';
import { type Payload, payload, payloads, type Result } from '../payload.ts';
import { measurePool } from '../pool.ts';
import { inChild } from '../processes.ts';
import { startUp } from '../start-up.ts';
import type { Place } from '../store.ts';
import type { CrashReport, Session, System } from '../system.ts';
import { measureTranslation } from '../translation.ts';
import { untilStart, Waiters } from '../waiters.ts';
import { measureZone } from '../zone.ts';

const WAIT = { wait: 120_000 };
/** Before short runs, and as often again before long ones: after 20,000 tasks a thread is twice as fast as at first. */
const WARM = { calls: 5, tasks: 5_000, chains: 500 };
const LONG = 4;

export const system: System = {
  name: 'gleitzeit',
  stores: ['sqlite', 'postgres'],
  durability: { sqlite: 'FULL', postgres: 'synchronous_commit=on' },
  settings: 'As shipped: 256 slots, schemas of params and results on, results and the whole log kept.',
  notes: [
    'Each task writes its events, its attempt and its result beside its state. Its store has threads of its own in every session, so each run is preceded by 46,000 tasks in the same session (11,500 before a short run).',
  ],
  without: {},
  open,
};

async function open(place: Place): Promise<Session> {
  if (place.served) return openServed(place);
  const store = storeAt(place);
  const besideIt = (part: string) => storeAt({ ...place, space: `${place.space}_${part}` });
  const starts = new Waiters<number>();
  const progress = new Progress();
  const onStart = (key: string) => {
    progress.handled();
    starts.settle(key, performance.now());
  };
  const { agent } = place;
  let bench = await (agent === undefined ? openBench(store, onStart) : openCalling(store, onStart, agent));
  await bench.quiet();

  const started = async (): Promise<Bench> => {
    await bench.start();
    return bench;
  };

  const enqueue = async (tasks: readonly Payload[]) => {
    await bench.submitMany(tasks.map((params) => ({ ...STEP, params })));
  };
  const drain = (count: number) => progress.completed(bench, count, started);
  const run = async (task: Payload) => {
    const { task_id } = await (await started()).submit({ ...STEP, params: task });
    const { result } = await bench.result(task_id, WAIT);
    return result as Result;
  };
  const chain = async (task: Payload) => resultOf(await started(), chainOf(task), 'c');

  return {
    warm: async (quick) => {
      for (let round = 0; round < (quick ? 1 : LONG); round++) {
        for (let call = 0; call < WARM.calls; call++) await enqueue(payloads(`warm-${call}`, 1000));
        await drain(WARM.calls * 1000);
        await inFlight(WARM.tasks, 100, (index) => run(payload(`warm-${index}`)));
        await inFlight(WARM.chains, 100, (index) => chain(payload(`warm-chain-${index}`)));
        await bench.quiet();
      }
    },
    enqueue,
    drain,
    rest: () => bench.quiet(),
    run,
    startLatency: async (task) => {
      await started();
      return untilStart(starts, task.key, async () => {
        const { task_id } = await bench.submit({ ...STEP, params: task });
        await bench.result(task_id, WAIT);
      });
    },
    chain,
    fanOut: async (tasks) => resultOf(await started(), fanOutOf(tasks), 'join'),
    graph: async (size) => {
      const { workflow_id } = await (await started()).submitWorkflow(graphOf(size));
      const { status } = await bench.results(workflow_id, WAIT);
      if (status !== 'completed') throw new Error(`a graph of ${size} tasks ended as ${status}`);
    },
    fill: async (amounts) => {
      await bench.stop();
      await inChild('./fill-gleitzeit.ts', [JSON.stringify(store), JSON.stringify(amounts)]);
      bench = await openBench(store, onStart);
    },
    pool: (seconds) => measurePool(besideIt('pool'), seconds),
    limits: (tasks) => measureLimits(besideIt, tasks),
    ...(place.store === 'postgres'
      ? { distributed: (tasks: number) => measureDistributed(besideIt, tasks) }
      : {}),
    ...(place.store === 'sqlite'
      ? {
          dialects: measureDialects,
          translation: measureTranslation,
          zone: measureZone,
          league: measureLeague,
        }
      : {}),
    crash: async (kills) => crash(place, kills),
    ...(place.store === 'sqlite' ? { startUp: async (rounds: number) => startUp(rounds) } : {}),
    close: () => bench.stop(),
  };
}

function storeAt(place: Place): StoreOptions {
  if (place.store === 'postgres') return { type: 'postgres', url: place.url, schema: place.space };
  return { type: 'sqlite', path: join(`${place.url}-${place.space}`, 'store.db') };
}

function chainOf(task: Payload) {
  return {
    name: 'chain',
    tasks: [
      { ...STEP, id: 'a', params: task },
      { ...STEP, id: 'b', params: { ...task, previous: ['${a.result}'] } },
      { ...STEP, id: 'c', params: { ...task, previous: ['${b.result}'] } },
    ],
  } as const;
}

function fanOutOf(tasks: readonly Payload[]) {
  const side = tasks.map((params, index) => ({ ...STEP, id: `t${index}`, params }));
  const previous = side.map(({ id }) => `\${${id}.result}` as const);
  const join = { ...STEP, id: 'join', params: { key: tasks[0]?.key ?? 'join', text: '', previous } };
  return { name: 'fan-out', tasks: [...side, join] };
}

/** One task that all wait for, and one that waits for all. */
function graphOf(size: number) {
  const params = { key: 'graph', text: '' };
  const middle = Array.from({ length: size - 2 }, (_, index) => ({
    ...STEP,
    id: `m${index}`,
    params,
    dependencies: ['first'],
  }));
  const last = { ...STEP, id: 'last', params, dependencies: middle.map(({ id }) => id) };
  return { name: 'graph', tasks: [{ ...STEP, id: 'first', params }, ...middle, last] };
}

async function resultOf(
  bench: Bench,
  workflow: Parameters<Bench['submitWorkflow']>[0],
  last: string,
): Promise<Result> {
  const { tasks } = await bench.submitWorkflow(workflow);
  const { result } = await bench.result(tasks[last] ?? '', WAIT);
  return result as unknown as Result;
}

/** The chaos command is the measure: a load that lives on, and SQL over the store as the judge. */
async function crash(place: Place, kills: number): Promise<CrashReport> {
  const program = fileURLToPath(new URL('../../test/chaos/run.ts', import.meta.url));
  const args = ['--kills', String(kills), '--store', place.store, '--json'];
  const child = fork(program, args, { stdio: ['ignore', 'pipe', 2, 'ipc'] });
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += String(chunk);
  });
  await once(child, 'close');
  const { lost, recorded_twice, recovery } = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '{}');
  return { lost, recorded_twice, recovery_ms: recovery };
}
