import { percentile } from '../measure.ts';
import { defineWorkload } from '../workload.ts';

/** The size is the number of calls each way. */
export const workload = defineWorkload({
  id: 'W18',
  title: 'a call through another zone, over a direct one',
  sizes: { full: 5_000, quick: 500 },
  needs: ['zone'],
  warmUp: false,
  ownOnly: true,
  async run(session, calls) {
    const { direct, zone } = await session.zone(calls);
    const less = (metric: string, value: number) => ({ metric, unit: 'ms', better: 'less', value }) as const;
    const p50 = percentile(direct, 0.5);
    return [
      less('direct call of the agent, p50', p50),
      less('through the zone, p50', percentile(zone, 0.5)),
      less('through the zone, p50 more', percentile(zone, 0.5) - p50),
    ];
  },
});
