import { inFlight, rate, seconds } from '../measure.ts';
import { expectLength, payload } from '../payload.ts';
import { defineWorkload } from '../workload.ts';

export const workload = defineWorkload({
  id: 'W2',
  title: 'single submits, 100 in flight, submit to result readable',
  sizes: { full: 20_000, quick: 4_000 },
  needs: ['run'],
  async run(session, size) {
    const one = async (index: number) => expectLength(await session.run(payload(`w2-${index}`)), 1);
    return [rate('tasks/s', size, await seconds(() => inFlight(size, 100, one)))];
  },
});
