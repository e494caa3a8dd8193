import { rate, seconds } from '../measure.ts';
import { payloads } from '../payload.ts';
import { defineWorkload } from '../workload.ts';

const CALL = 1000;

export const workload = defineWorkload({
  id: 'W1',
  title: 'drain of no-op tasks already queued',
  sizes: { full: 20_000, quick: 5_000 },
  needs: ['enqueue', 'drain'],
  async run(session, size) {
    for (let done = 0; done < size; done += CALL) {
      await session.enqueue(payloads(`w1-${done}`, Math.min(CALL, size - done)));
    }
    return [rate('tasks/s', size, await seconds(() => session.drain(size)))];
  },
});
