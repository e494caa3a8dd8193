import { rate, seconds } from '../measure.ts';
import { payloads } from '../payload.ts';
import { defineWorkload } from '../workload.ts';

const CALL = 1000;

export const workload = defineWorkload({
  id: 'W8',
  title: 'bulk submit, 1,000 tasks a call',
  sizes: { full: 50_000, quick: 10_000 },
  needs: ['enqueue'],
  async run(session, size) {
    const calls = Array.from({ length: size / CALL }, (_, call) => payloads(`w8-${call}`, CALL));
    const elapsed = await seconds(async () => {
      for (const tasks of calls) await session.enqueue(tasks);
    });
    return [rate('tasks/s', calls.length * CALL, elapsed)];
  },
});
