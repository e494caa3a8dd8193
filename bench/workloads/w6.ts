import { inFlight, rate, seconds } from '../measure.ts';
import { expectLength, payload } from '../payload.ts';
import { defineWorkload } from '../workload.ts';

export const workload = defineWorkload({
  id: 'W6',
  title: 'chain of 3, 100 in flight',
  sizes: { full: 5_000, quick: 1_500 },
  needs: ['chain'],
  async run(session, size) {
    const one = async (index: number) => expectLength(await session.chain(payload(`w6-${index}`)), 3);
    return [rate('runs/s', size, await seconds(() => inFlight(size, 100, one)))];
  },
});
