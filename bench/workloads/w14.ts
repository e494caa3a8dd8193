import { percentile } from '../measure.ts';
import { defineWorkload } from '../workload.ts';

/** The size is the number of translations each way, in each dialect. */
export const workload = defineWorkload({
  id: 'W14',
  title: 'translation per call of an agent: request built, answer parsed',
  sizes: { full: 200_000, quick: 20_000 },
  needs: ['translation'],
  warmUp: false,
  ownOnly: true,
  async run(session, calls) {
    const report = await session.translation(calls);
    const less = (metric: string, values: readonly number[]) =>
      ({ metric, unit: 'µs', better: 'less', value: percentile(values, 0.5) }) as const;
    return Object.entries(report).flatMap(([dialect, { request, response }]) => [
      less(`${dialect}, request built`, request),
      less(`${dialect}, answer parsed`, response),
    ]);
  },
});
