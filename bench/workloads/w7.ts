import { latencies, latency } from '../measure.ts';
import { expectLength, payloads } from '../payload.ts';
import { defineWorkload } from '../workload.ts';

const WIDTH = 100;

export const workload = defineWorkload({
  id: 'W7',
  title: 'fan-out to 100, then a join',
  sizes: { full: 50, quick: 20 },
  needs: ['fanOut'],
  samples: true,
  async run(session, size) {
    const one = async (index: number) =>
      expectLength(await session.fanOut(payloads(`w7-${index}`, WIDTH)), WIDTH);
    return latency(await latencies(size, one), 0.5);
  },
});
