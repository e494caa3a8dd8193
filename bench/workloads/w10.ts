import { IN_FLIGHT } from '../agent-client.ts';
import { type Figure, inFlight, rate, seconds } from '../measure.ts';
import { expectLength, payload, payloads } from '../payload.ts';
import type { Session } from '../system.ts';
import { defineWorkload } from '../workload.ts';

const CALL = 1000;
const TASKS_PER_CHAIN = 4;

/**
 * Every task is one call to the agent. `drained`: a queue that is there already, as in W1. `single`: from submit to
 * result, as in W2. `chain`: three in a row that pass their results on, as in W6.
 */
export const workload = defineWorkload({
  id: 'W10',
  title: 'one call to an HTTP agent per task, 100 in flight',
  sizes: { full: 20_000, quick: 4_000 },
  needs: [],
  agent: true,
  async run(session, size) {
    return [
      ...(await drained(session, size)),
      ...(await single(session, size)),
      ...(await chain(session, Math.ceil(size / TASKS_PER_CHAIN))),
    ];
  },
});

async function drained({ enqueue, drain }: Session, size: number): Promise<Figure[]> {
  if (enqueue === undefined || drain === undefined) return [];
  for (let done = 0; done < size; done += CALL)
    await enqueue(payloads(`w10-${done}`, Math.min(CALL, size - done)));
  return [{ metric: 'drained', ...rate('tasks/s', size, await seconds(() => drain(size))) }];
}

async function single({ run }: Session, size: number): Promise<Figure[]> {
  if (run === undefined) return [];
  const one = async (index: number) => expectLength(await run(payload(`w10-${index}`)), 1);
  const elapsed = await seconds(() => inFlight(size, IN_FLIGHT, one));
  return [{ metric: 'single', ...rate('tasks/s', size, elapsed) }];
}

async function chain({ chain }: Session, size: number): Promise<Figure[]> {
  if (chain === undefined) return [];
  const one = async (index: number) => expectLength(await chain(payload(`w10c-${index}`)), 3);
  const elapsed = await seconds(() => inFlight(size, IN_FLIGHT, one));
  return [{ metric: 'chain', ...rate('runs/s', size, elapsed) }];
}
