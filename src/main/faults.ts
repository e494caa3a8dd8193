import { systemRandom } from '../embedded/system.ts';
import { type FaultSpec, readFaults } from '../faults/spec.ts';

export type Faults = { readonly spec: FaultSpec; readonly seed: number };

const SEEDS = 1_000_000;

/** Reads `latency=200ms,cut=5%`. Where no seed is named one is drawn. */
export function faultsFrom(text: string): Faults {
  const spec = readFaults(text);
  return { spec, seed: spec.seed ?? Math.floor(systemRandom().next() * SEEDS) };
}
