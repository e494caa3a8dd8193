/** The child process of one cell: opens the system, warms up, measures, and tells the parent. */
import type { Figure, Summary } from './measure.ts';
import { formatNumber, summarise } from './measure.ts';
import type { Place } from './store.ts';
import type { System } from './system.ts';
import { loadSystem } from './systems.ts';
import type { Workload } from './workload.ts';
import { findWorkload } from './workloads.ts';

export interface Assignment {
  readonly workload: string;
  readonly system: string;
  readonly place: Omit<Place, 'space'>;
  readonly quick: boolean;
}

/** No summaries: the system has no notion of the workload. */
export type Outcome = { readonly summaries: readonly Summary[] } | { readonly error: string };

const RUNS = 3;

async function measure({ workload: id, system: name, place, quick }: Assignment): Promise<Summary[]> {
  const workload = findWorkload(id);
  const system = await loadSystem(name);
  const share = workload.samples ? 1 : (system.share?.[place.store] ?? 1);
  const size = Math.ceil((quick ? workload.sizes.quick : workload.sizes.full) * share);
  const once = (space: string, amount: number) =>
    runOnce(system, workload, { ...place, space, served: workload.served }, { size: amount, quick });
  if (workload.warmUp) await once('warmup', size);
  const runs: Figure[][] = [];
  for (let run = 1; run <= RUNS; run++) {
    const figures = await once(`run${run}`, size);
    if (figures === undefined) return [];
    runs.push(figures);
    process.stderr.write(
      `    ${figures.map(({ value, unit }) => `${formatNumber(value)} ${unit}`).join(', ')}\n`,
    );
  }
  return summarise(runs);
}

async function runOnce(
  system: System,
  workload: Workload,
  place: Place,
  { size, quick }: { size: number; quick: boolean },
): Promise<Figure[] | undefined> {
  const session = await system.open(place);
  try {
    if (workload.warmUp) await session.warm?.(quick);
    return await workload.perform(session, size);
  } finally {
    await session.close();
  }
}

async function answer(assignment: Assignment): Promise<void> {
  const outcome: Outcome = await measure(assignment).then(
    (summaries) => ({ summaries }),
    (error: unknown) => ({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
  process.send?.(outcome, () => process.exit());
}

process.once('message', (assignment: Assignment) => void answer(assignment));
process.once('disconnect', () => process.exit(1));
