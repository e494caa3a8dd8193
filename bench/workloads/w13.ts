import { type Figure, percentile } from '../measure.ts';
import type { DistributedReport } from '../system.ts';
import { defineWorkload } from '../workload.ts';

/** The size is the number of tasks of the first two figures, which are those of W10. */
export const workload = defineWorkload({
  id: 'W13',
  title: 'calls leave through Kafka, a bridge makes them',
  sizes: { full: 20_000, quick: 4_000 },
  needs: ['distributed'],
  warmUp: false,
  ownOnly: true,
  async run(session, size) {
    const report = await session.distributed(size);
    return [...rates(report), ...costs(report), ...growth(report), ...waits(report)];
  },
});

const more = (metric: string, unit: string, value: number): Figure => ({
  metric,
  unit,
  better: 'more',
  value,
});
const less = (metric: string, unit: string, value: number): Figure => ({
  metric,
  unit,
  better: 'less',
  value,
});

function rates(report: DistributedReport): Figure[] {
  const { drained, single, local_drained, local_single, task_ms } = report;
  return [
    more('drained', 'tasks/s', drained),
    more('drained, of an engine that makes its calls itself', 'x', drained / local_drained),
    more('single', 'tasks/s', single),
    more('single, of an engine that makes its calls itself', 'x', single / local_single),
    less('one after another, p50', 'ms', percentile(task_ms, 0.5)),
  ];
}

function costs({ cpu_us }: DistributedReport): Figure[] {
  return Object.entries(cpu_us).map(([process, us]) => less(`CPU of a step, ${process}`, 'µs', us));
}

function growth({ by_bridges }: DistributedReport): Figure[] {
  const { 1: one = Number.NaN, ...several } = by_bridges;
  return [
    more('agents of 100 ms, 1 bridge', 'tasks/s', one),
    ...Object.entries(several).map(([bridges, rate]) => more(`${bridges} bridges, of one`, 'x', rate / one)),
  ];
}

function waits(report: DistributedReport): Figure[] {
  return [
    less('a second bridge has its share after its start', 'ms', report.share_after_start_ms),
    less('… after it takes tasks', 'ms', report.share_after_ready_ms),
    less('p50 of a quick agent, alone in its partition', 'ms', report.alone_ms),
    less('… beside 200 calls of a slow one', 'ms', report.beside_slow_ms),
  ];
}
