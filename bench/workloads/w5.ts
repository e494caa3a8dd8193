import { latencies, latency } from '../measure.ts';
import { expectLength, payload } from '../payload.ts';
import { defineWorkload } from '../workload.ts';

export const workload = defineWorkload({
  id: 'W5',
  title: 'chain of 3, one after another',
  sizes: { full: 300, quick: 100 },
  needs: ['chain'],
  samples: true,
  async run(session, size) {
    const one = async (index: number) => expectLength(await session.chain(payload(`w5-${index}`)), 3);
    return latency(await latencies(size, one), 0.5);
  },
});
