import { defineWorkload } from '../workload.ts';

const WATCH_MS = 10_000;
const MEGABYTE = 1024 * 1024;

/** The size is the number of finished tasks; a tenth of it waits. */
export const workload = defineWorkload({
  id: 'W11',
  title: 'idle server with finished and waiting tasks in its store',
  sizes: { full: 1_000_000, quick: 50_000 },
  needs: ['fill', 'idle'],
  warmUp: false,
  ownOnly: true,
  served: true,
  async run(session, size) {
    await session.fill({ finished: size, waiting: size / 10 });
    const { resident_bytes, core_share } = await session.idle(WATCH_MS);
    return [
      { metric: 'memory', unit: 'MB', better: 'less', value: resident_bytes / MEGABYTE },
      { metric: 'cpu', unit: '% of a core', better: 'less', value: core_share * 100 },
    ];
  },
});
