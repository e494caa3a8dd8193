import { percentile } from '../measure.ts';
import { defineWorkload } from '../workload.ts';

/** The size is the number of seconds that are measured. */
export const workload = defineWorkload({
  id: 'W15',
  title: 'pool of four agents at 1,000 calls/s, one hung, one failing half the time',
  sizes: { full: 15, quick: 5 },
  needs: ['pool'],
  warmUp: false,
  ownOnly: true,
  async run(session, seconds) {
    const { direct_ms, task_ms, disturbed, failed } = await session.pool(seconds);
    const all = {
      direct_ms: [...direct_ms, ...disturbed.direct_ms],
      task_ms: [...task_ms, ...disturbed.task_ms],
    };
    const less = (metric: string, unit: string, value: number) =>
      ({ metric, unit, better: 'less', value }) as const;
    // Where the host disturbed every second there is nothing else to tell of.
    const told = task_ms.length > 0 ? { direct_ms, task_ms } : all;
    return [
      less('failed', '%', (failed / all.task_ms.length) * 100),
      less('direct call p50', 'ms', percentile(told.direct_ms, 0.5)),
      less('direct call p99', 'ms', percentile(told.direct_ms, 0.99)),
      less('added p50', 'ms', added(told, 0.5)),
      less('added p99', 'ms', added(told, 0.99)),
      less('seconds disturbed by the host', '%', (disturbed.task_ms.length / all.task_ms.length) * 100),
      less('added p50 with those', 'ms', added(all, 0.5)),
      less('added p99 with those', 'ms', added(all, 0.99)),
    ];
  },
});

type Taken = { readonly direct_ms: readonly number[]; readonly task_ms: readonly number[] };

function added({ direct_ms, task_ms }: Taken, share: number): number {
  return percentile(task_ms, share) - percentile(direct_ms, share);
}
