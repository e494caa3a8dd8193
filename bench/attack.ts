import { attacks, send } from '../test/server/attacks.ts';
import { bombs } from '../test/server/bombs.ts';
import type { FloodOptions, FloodReport } from '../test/server/flood.ts';
import { openScene } from '../test/server/scene.ts';
import { latencies, percentile, seconds } from './measure.ts';
import { ask } from './processes.ts';
import type { AttackReport } from './system.ts';

const PER_SECOND = 2000;
const HALF_OPEN = 200;
const QUIET_SAMPLES = 200;
const FLOOD_LIMIT_MS = 5 * 60_000;

/** What somebody who does nothing wrong does: one call, and one task from submit to result. */
export interface GoodClient {
  call(): Promise<unknown>;
  task(): Promise<unknown>;
}

/** How a good client fares while others send nonsense, and how soon these are told so. */
export async function measureAttack(url: string, duration: number, good: GoodClient): Promise<AttackReport> {
  const { origin, port } = new URL(url);
  const quiet = await latencies(QUIET_SAMPLES, () => good.task());
  const refusal_ms = await slowestRefusal(origin);
  const bomb_ms = await refusedStart();
  const options: FloodOptions = {
    port: Number(port),
    per_second: PER_SECOND,
    half_open: HALF_OPEN,
    seconds: duration,
  };
  const flood = ask<FloodReport>('../test/server/flood-process.ts', options, FLOOD_LIMIT_MS);
  const under = await during(flood, good);
  const { sent } = await flood;
  return {
    quiet_p99_ms: percentile(quiet, 0.99),
    call_p99_ms: percentile(under.calls, 0.99),
    task_p50_ms: percentile(under.tasks, 0.5),
    task_p99_ms: percentile(under.tasks, 0.99),
    bad_per_second: sent / duration,
    refusal_ms,
    bomb_ms,
  };
}

/** Milliseconds of each call and each task, one after another, until the flood is over. */
async function during(
  flood: Promise<unknown>,
  good: GoodClient,
): Promise<{ calls: number[]; tasks: number[] }> {
  const calls: number[] = [];
  const tasks: number[] = [];
  let over = false;
  const end = () => {
    over = true;
  };
  void flood.then(end, end);
  while (!over) {
    calls.push(...(await latencies(1, () => good.call())));
    tasks.push(...(await latencies(1, () => good.task())));
  }
  return { calls, tasks };
}

/** From the first byte of the request to the last of the answer, which has to be the right one. */
async function slowestRefusal(origin: string): Promise<number> {
  const took: number[] = [];
  for (const { name, make, status, says } of attacks) {
    const request = make();
    const ms = 1000 * (await seconds(() => expectRefusal(name, { status, says }, send(origin, request))));
    process.stderr.write(`    ${name}: ${ms.toFixed(0)} ms\n`);
    took.push(ms);
  }
  return Math.max(...took);
}

async function expectRefusal(
  name: string,
  expected: { readonly status: number; readonly says: RegExp },
  asked: ReturnType<typeof send>,
): Promise<void> {
  const { status, text } = await asked;
  if (status === expected.status && expected.says.test(text)) return;
  throw new Error(`${name} was answered with ${status}: ${text.slice(0, 200)}`);
}

/** A server that is started with a YAML bomb, until it has said so and ended. */
async function refusedStart(): Promise<number> {
  const [bomb] = bombs;
  const scene = openScene();
  try {
    const file = scene.write('bomb.yaml', bomb?.text() ?? '');
    return 1000 * (await seconds(() => scene.start(['serve', '--config', file]).ended));
  } finally {
    await scene.close();
  }
}
