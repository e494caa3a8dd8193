import type { Figure } from '../measure.ts';
import { inFlight, latencies, percentile, seconds } from '../measure.ts';
import { payload, payloads } from '../payload.ts';
import { defineWorkload } from '../workload.ts';

const TASKS = 5_000;
const CALLS = 10;
const CALL = 1_000;
const CHAINS = 100;
const GRAPHS = [10, 1_000, 10_000];

/** Cost per task at each size of the store and of the graph, over the cost at the smallest. The size is the largest store. */
export const workload = defineWorkload({
  id: 'W12',
  title: 'growth: cost per task over the cost at the smallest size',
  sizes: { full: 1_000_000, quick: 20_000 },
  needs: ['fill', 'rest', 'enqueue', 'drain', 'run', 'chain', 'graph'],
  ownOnly: true,
  warmUp: false,
  async run(session, size) {
    const drained: number[] = [];
    const single: number[] = [];
    const chained: number[] = [];
    let filled = 0;
    for (const store of [1_000, size / 10, size]) {
      await session.fill({ finished: store - filled, waiting: 0 });
      filled = store;
      await session.rest();
      for (let call = 0; call < CALLS; call++) await session.enqueue(payloads(`w12d-${store}-${call}`, CALL));
      drained.push(await seconds(() => session.drain(CALLS * CALL)));
      const one = (index: number) => session.run(payload(`w12-${store}-${index}`));
      await inFlight(TASKS, 100, one);
      single.push(await seconds(() => inFlight(TASKS, 100, one)));
      const chain = (index: number) => session.chain(payload(`w12c-${store}-${index}`));
      chained.push(percentile(await latencies(CHAINS, chain), 0.5));
    }
    const graphs: number[] = [];
    for (const tasks of GRAPHS) {
      const repeats = Math.max(1, 1_000 / tasks);
      graphs.push((await seconds(() => inFlight(repeats, 1, () => session.graph(tasks)))) / repeats / tasks);
    }
    return [
      growth('drain', drained),
      growth('submit', single),
      growth('chain', chained),
      growth('graph', graphs),
    ];
  },
});

function growth(metric: string, costs: readonly number[]): Figure {
  const [first = Number.NaN] = costs;
  return { metric, unit: 'x', better: 'less', value: Math.max(...costs) / first };
}
