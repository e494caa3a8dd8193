import type { StoreOptions } from '../../src/index.ts';
import { type Bench, STEP } from '../gleitzeit.ts';
import { OTHER } from '../gleitzeit-calling.ts';
import { latencies, percentile } from '../measure.ts';
import { payload, payloads } from '../payload.ts';
import { startAgent } from '../processes.ts';
import type { DistributedReport } from '../system.ts';
import { openDistributed } from './system.ts';

const SLOW_MS = 5000;
const SLOW_CALLS = 200;
/** Fewer than there are slow calls, so that most of those wait in the bridge. */
const CONCURRENCY = 32;
const SAMPLES = 200;
const WAIT = { wait: 120_000 };

/** One partition, in which calls of a quick agent stand behind those of a slow one. */
export async function measureSlow(
  store: StoreOptions,
  broker: string,
): Promise<Pick<DistributedReport, 'alone_ms' | 'beside_slow_ms'>> {
  const [quick, slow] = await Promise.all([startAgent(), startAgent('well', SLOW_MS)]);
  const system = await openDistributed({
    ...{ store, broker, agent: quick.url, other: slow.url },
    ...{ partitions: 1, concurrency: CONCURRENCY },
  });
  try {
    await system.addBridge(quick.url);
    await latencies(SAMPLES, (index) => run(system.bench, `warm-${index}`));
    const alone = await latencies(SAMPLES, (index) => run(system.bench, `alone-${index}`));
    const calls = payloads('slow', SLOW_CALLS);
    const others = await system.bench.submitMany(
      calls.map((params) => ({ protocol: OTHER.name, method: 'work', params }) as never),
    );
    const beside = await latencies(SAMPLES, (index) => run(system.bench, `beside-${index}`));
    await Promise.all(others.map(({ task_id }) => system.bench.cancel(task_id)));
    return { alone_ms: percentile(alone, 0.5), beside_slow_ms: percentile(beside, 0.5) };
  } finally {
    await system.close();
    await Promise.all([quick.stop(), slow.stop()]);
  }
}

async function run(bench: Bench, key: string): Promise<void> {
  const { task_id } = await bench.submit({ ...STEP, params: payload(key) });
  await bench.result(task_id, WAIT);
}
