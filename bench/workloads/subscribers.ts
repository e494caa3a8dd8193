import type { Figure } from '../measure.ts';
import { defineWorkload } from '../workload.ts';

/** The size is the number of tasks whose events everybody hears, first at a pace and then all at once. */
export const workload = defineWorkload({
  id: 'subscribers',
  title: '1,000 idle WebSocket subscribers and 100 that hear everything',
  sizes: { full: 500, quick: 100 },
  needs: ['subscribers'],
  warmUp: false,
  ownOnly: true,
  served: true,
  async run(session, tasks) {
    const report = await session.subscribers(tasks);
    return [
      less('server idle', 'MB', report.idle_mb),
      less('server subscribed to', 'MB', report.subscribed_mb),
      less('server under load', 'MB', report.loaded_mb),
      less('commit to arrival p50', 'ms', report.p50_ms),
      less('commit to arrival p99', 'ms', report.p99_ms),
      { metric: 'delivered', unit: 'events/s', better: 'more', value: report.delivered_per_second },
    ];
  },
});

function less(metric: string, unit: string, value: number): Figure {
  return { metric, unit, better: 'less', value };
}
