import { isMainThread, parentPort } from 'node:worker_threads';
import { simulate } from './world/world.ts';

export type Chunk = { readonly from: number; readonly to: number; readonly first: boolean };

export type Report = {
  readonly seeds: number;
  readonly steps: number;
  readonly crashes: number;
  readonly failing: readonly number[];
  readonly crashPoints: readonly (readonly [string, number])[];
};

/** Seeds one after another; to the first that fails where that is what was asked. */
export async function work({ from, to, first }: Chunk): Promise<Report> {
  const failing: number[] = [];
  const points = new Map<string, number>();
  let [seeds, steps, crashes] = [0, 0, 0];
  for (let seed = from; seed < to && !(first && failing.length > 0); seed++) {
    const outcome = await simulate(seed);
    seeds++;
    steps += outcome.steps;
    crashes += outcome.crashes;
    if (outcome.violations.length > 0) failing.push(seed);
    for (const [point, times] of outcome.crashPoints) points.set(point, (points.get(point) ?? 0) + times);
  }
  return { seeds, steps, crashes, failing, crashPoints: [...points] };
}

// Nobody reads stacks here: what failed is run again with its trace.
if (!isMainThread) Error.stackTraceLimit = 0;
parentPort?.on('message', (chunk: Chunk) => {
  void work(chunk).then((report) => parentPort?.postMessage(report));
});
