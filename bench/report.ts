import type { Machine } from './machine.ts';
import type { Summary } from './measure.ts';
import type { Store } from './store.ts';
import type { WorkloadId } from './system.ts';

/** One system doing one workload on one store. */
export interface Cell {
  readonly workload: WorkloadId;
  readonly system: string;
  readonly store: Store;
}

export interface Row extends Cell, Summary {
  readonly durability: string;
}

export interface Absence extends Cell {
  readonly reason: string;
}

export interface Failure extends Cell {
  readonly error: string;
}

export interface Report {
  readonly machine: Machine;
  readonly quick: boolean;
  readonly rows: readonly Row[];
  /** Workloads a system has no notion of. */
  readonly absent: readonly Absence[];
  readonly failed: readonly Failure[];
  /** Settings and remarks by system. */
  readonly notes: Readonly<Record<string, readonly string[]>>;
}
