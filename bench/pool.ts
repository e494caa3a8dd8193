import type { StoreOptions } from '../src/index.ts';
import { AgentClient } from './agent-client.ts';
import { stolenSeconds } from './cpu.ts';
import { type Bench, STEP } from './gleitzeit.ts';
import { openPooled, providerAt } from './gleitzeit-calling.ts';
import { inFlight } from './measure.ts';
import { payload } from './payload.ts';
import { startAgent } from './processes.ts';
import type { PoolReport } from './system.ts';

const PER_SECOND = 1000;
/** By then the breakers have seen enough of the two that are ill. */
const SETTLING_SECONDS = 5;
/** Until the code is compiled: before that the threads that compile it keep the others waiting. */
const WARM_UP = 20_000;
const WARM_UP_WIDTH = 100;
/** A host that took more than this from two seconds, of all processors together, disturbed them. The system counts in such steps. */
const MOST_STOLEN_S = 0.01;
/** So many times the seconds that are wanted are tried to find them undisturbed. */
const TRIES = 3;
/** A task gives a hung agent up after a second, and goes to another one. */
const TASK = { ...STEP, timeout: 1, retry_config: { max_attempts: 5, initial_delay: 0.01 } } as const;
const WAIT = { wait: 60_000 };

/**
 * A second of calls alone, to an agent that is well, then a second of the same calls as durable tasks to the pool, in turn:
 * a machine that is slower for a while is so for both. Seconds that the machine's host disturbed are kept apart.
 */
export async function measurePool(store: StoreOptions, seconds: number): Promise<PoolReport> {
  const agents = await Promise.all(
    (['well', 'well', 'hung', 'flaky'] as const).map((health) => startAgent(health)),
  );
  const client = new AgentClient(agents[0]?.url ?? '');
  const bench = await openPooled(store, (router) => {
    for (const [index, { url }] of agents.entries()) router.connect(providerAt(`agent-${index + 1}`, url));
  });
  const direct = () => client.call(payload('direct'));
  let failed = 0;
  const task = async () => {
    if ((await runTask(bench)) !== 'completed') failed++;
  };
  try {
    await atPace(SETTLING_SECONDS, direct);
    await atPace(SETTLING_SECONDS, () => runTask(bench));
    await inFlight(WARM_UP, WARM_UP_WIDTH, () => runTask(bench));
    return { ...(await inTurns(seconds, direct, task)), failed };
  } finally {
    await bench.stop();
    await client.close();
    await Promise.all(agents.map((agent) => agent.stop()));
  }
}

type Samples = { readonly direct_ms: number[]; readonly task_ms: number[] };

async function inTurns(
  seconds: number,
  direct: () => Promise<unknown>,
  task: () => Promise<unknown>,
): Promise<Omit<PoolReport, 'failed'>> {
  const [quiet, disturbed]: [Samples, Samples] = [none(), none()];
  for (let tried = 0; tried < seconds * TRIES && quiet.task_ms.length < seconds * PER_SECOND; tried++) {
    const before = await stolenSeconds();
    const [direct_ms, task_ms] = [await atPace(1, direct), await atPace(1, task)];
    const into = (await stolenSeconds()) - before > MOST_STOLEN_S ? disturbed : quiet;
    into.direct_ms.push(...direct_ms);
    into.task_ms.push(...task_ms);
  }
  return { ...quiet, disturbed };
}

function none(): Samples {
  return { direct_ms: [], task_ms: [] };
}

async function runTask(bench: Bench): Promise<string> {
  const { task_id } = await bench.submit({ ...TASK, params: payload('pool') });
  return (await bench.result(task_id, WAIT)).status;
}

/** Begins work whether or not the work before it has ended, and takes the time of each. */
async function atPace(seconds: number, work: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  const running: Promise<void>[] = [];
  const started = performance.now();
  const total = seconds * PER_SECOND;
  const timed = async () => {
    const begun = performance.now();
    await work();
    samples.push(performance.now() - begun);
  };
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(total, ((performance.now() - started) / 1000) * PER_SECOND);
      while (running.length < due) running.push(timed());
      if (running.length < total) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  await Promise.all(running);
  return samples;
}
