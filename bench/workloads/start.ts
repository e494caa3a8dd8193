import { type Figure, median } from '../measure.ts';
import { defineWorkload } from '../workload.ts';

/** The size is the number of times each is started. */
export const workload = defineWorkload({
  id: 'start',
  title: 'the program from its start to its end',
  sizes: { full: 20, quick: 8 },
  needs: ['startUp'],
  warmUp: false,
  ownOnly: true,
  async run(session, rounds) {
    const { bare_ms, version_ms, run_ms } = await session.startUp(rounds);
    const more = version_ms.map((ms, round) => ms - (bare_ms[round] ?? 0));
    return [
      less('bare node', median(bare_ms)),
      less('--version above that', median(more)),
      less('run of three tasks', median(run_ms)),
    ];
  },
});

function less(metric: string, value: number): Figure {
  return { metric, unit: 'ms', better: 'less', value };
}
