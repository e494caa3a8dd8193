import { percentile } from '../measure.ts';
import { defineWorkload } from '../workload.ts';

/** The size is the number of calls in each dialect. */
export const workload = defineWorkload({
  id: 'W17',
  title: 'each dialect per call, over jsonrpc',
  sizes: { full: 60_000, quick: 6_000 },
  needs: ['dialects'],
  warmUp: false,
  ownOnly: true,
  async run(session, calls) {
    const { jsonrpc = [], ...others } = await session.dialects(calls);
    const less = (metric: string, value: number) => ({ metric, unit: 'µs', better: 'less', value }) as const;
    const added = (rounds: readonly number[]) =>
      percentile(
        rounds.map((time, round) => time - (jsonrpc[round] ?? 0)),
        0.5,
      );
    return [
      less('jsonrpc over HTTP, a call', percentile(jsonrpc, 0.5)),
      ...Object.entries(others).map(([dialect, rounds]) => less(`${dialect}, more`, added(rounds))),
    ];
  },
});
