import type { Figure } from '../measure.ts';
import { latency } from '../measure.ts';
import { defineWorkload } from '../workload.ts';

export const workload = defineWorkload({
  id: 'W9',
  title: 'kill -9 under load',
  sizes: { full: 20, quick: 3 },
  needs: ['crash'],
  warmUp: false,
  ownOnly: true,
  async run(session, kills) {
    const { lost, recorded_twice, recovery_ms } = await session.crash(kills);
    return [count('lost', lost), count('recorded_twice', recorded_twice), ...latency(recovery_ms, 0.5, 1)];
  },
});

function count(metric: string, value: number): Figure {
  return { metric, unit: 'tasks', better: 'less', value };
}
