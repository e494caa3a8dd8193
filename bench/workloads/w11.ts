import { setTimeout as pause } from 'node:timers/promises';
import { defineWorkload } from '../workload.ts';

const WATCH_MS = 10_000;
const MEGABYTE = 1024 * 1024;

/** The size is the number of finished tasks; a tenth of it waits. */
export const workload = defineWorkload({
  id: 'W11',
  title: 'idle with finished and waiting tasks in the store',
  sizes: { full: 1_000_000, quick: 50_000 },
  needs: ['fill'],
  warmUp: false,
  ownOnly: true,
  async run(session, size) {
    await session.fill({ finished: size, waiting: size / 10 });
    globalThis.gc?.();
    const before = process.cpuUsage();
    await pause(WATCH_MS);
    const { user, system } = process.cpuUsage(before);
    return [
      { metric: 'memory', unit: 'MB', better: 'less', value: process.memoryUsage.rss() / MEGABYTE },
      {
        metric: 'cpu',
        unit: '% of a core',
        better: 'less',
        value: ((user + system) / 1000 / WATCH_MS) * 100,
      },
    ];
  },
});
