import type { Figure } from '../measure.ts';
import { defineWorkload } from '../workload.ts';

/** The size is how many seconds the flood lasts. */
export const workload = defineWorkload({
  id: 'attack',
  title: 'a good client beside a flood of nonsense',
  sizes: { full: 10, quick: 3 },
  needs: ['attack'],
  warmUp: false,
  ownOnly: true,
  served: true,
  async run(session, duration) {
    const report = await session.attack(duration);
    return [
      less('task p99 before', 'ms', report.quiet_p99_ms),
      less('call p99', 'ms', report.call_p99_ms),
      less('task p50', 'ms', report.task_p50_ms),
      less('task p99', 'ms', report.task_p99_ms),
      { metric: 'bad requests answered', unit: 'requests/s', better: 'more', value: report.bad_per_second },
      less('slowest refusal', 'ms', report.refusal_ms),
      less('start refused', 'ms', report.bomb_ms),
    ];
  },
});

function less(metric: string, unit: string, value: number): Figure {
  return { metric, unit, better: 'less', value };
}
