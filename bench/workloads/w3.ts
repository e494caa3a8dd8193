import { setTimeout as pause } from 'node:timers/promises';
import { latency } from '../measure.ts';
import { payload } from '../payload.ts';
import { defineWorkload } from '../workload.ts';

/** Long enough for worker and store to have gone back to sleep: the workload is an idle system. */
const IDLE_MS = 20;

export const workload = defineWorkload({
  id: 'W3',
  title: 'idle: submit to handler start',
  sizes: { full: 300, quick: 100 },
  needs: ['startLatency'],
  samples: true,
  async run(session, size) {
    const samples: number[] = [];
    for (let index = 0; index < size; index++) {
      await pause(IDLE_MS);
      samples.push(await session.startLatency(payload(`w3-${index}`)));
    }
    return latency(samples, 0.5, 0.99);
  },
});
