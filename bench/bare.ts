/** A process of its own: the calls of W10 without any system around them. What is left of their rate is a system's share. */
import { AgentClient, IN_FLIGHT } from './agent-client.ts';
import { inFlight, median, seconds } from './measure.ts';
import { expectLength, payload } from './payload.ts';

export interface BareAssignment {
  readonly agent: string;
  readonly quick: boolean;
}

/** Rates by the metric of W10 they are compared with. */
export type BareRates = Readonly<Record<string, number>>;

const CALLS = { full: 30_000, quick: 10_000 };
const RUNS = 3;

async function measure({ agent, quick }: BareAssignment): Promise<BareRates> {
  const client = new AgentClient(agent);
  const calls = quick ? CALLS.quick : CALLS.full;
  const single = async () => expectLength(await client.call(payload('bare')), 1);
  const chain = async () => {
    const task = payload('bare');
    const first = await client.call(task);
    const second = await client.call(task, [first]);
    expectLength(await client.call(task, [second]), 3);
  };
  const rateOf = async (count: number, work: () => Promise<void>) => {
    await inFlight(count, IN_FLIGHT, work);
    const runs: number[] = [];
    for (let run = 0; run < RUNS; run++)
      runs.push(count / (await seconds(() => inFlight(count, IN_FLIGHT, work))));
    return median(runs);
  };
  const rates = { single: await rateOf(calls, single), chain: await rateOf(Math.ceil(calls / 3), chain) };
  await client.close();
  return rates;
}

process.once('message', (assignment: BareAssignment) => {
  void measure(assignment).then((rates) => process.send?.(rates, () => process.exit()));
});
process.once('disconnect', () => process.exit(1));
