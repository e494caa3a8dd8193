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
    const { direct_ms, task_ms, failed } = await session.pool(seconds);
    const less = (metric: string, unit: string, value: number) =>
      ({ metric, unit, better: 'less', value }) as const;
    const added = (share: number) => percentile(task_ms, share) - percentile(direct_ms, share);
    return [
      less('failed', '%', (failed / task_ms.length) * 100),
      less('direct call p50', 'ms', percentile(direct_ms, 0.5)),
      less('direct call p99', 'ms', percentile(direct_ms, 0.99)),
      less('added p50', 'ms', added(0.5)),
      less('added p99', 'ms', added(0.99)),
    ];
  },
});
