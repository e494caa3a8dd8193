import type { StoreOptions } from '../../src/index.ts';
import type { Postgres } from '../services/postgres.ts';
import type { ChaosOptions } from './arguments.ts';

/** What a game is played with. */
export type Game = {
  readonly options: ChaosOptions;
  readonly store: StoreOptions;
  /** The server of the store, where it is killed, too. */
  readonly postgres: Postgres | null;
  readonly folder: string;
  readonly random: () => number;
  readonly say: (text: string) => void;
};

/** Filled while kills are made. */
export type Tally = { accepted: number; ms: number; inFlight: number[]; recovery: number[] };

/** What the world outside wrote down while processes were killed. */
export type Played = {
  readonly tally: Tally;
  /** Ids that were answered. */
  readonly accepted: { readonly tasks: readonly string[]; readonly runs: readonly string[] };
  /** Keys that were answered with other ids before, or stand for more than one execution of the same step. */
  readonly contradicted: number;
  readonly redelivered: number;
  /** Answered with an error instead of ids. */
  readonly refused?: number;
  /** Where one strike kills several, or falls before those of another have recovered. */
  readonly kills?: number;
  /** What must be 0 besides, by name. */
  readonly faults?: Readonly<Record<string, number>>;
  /** What else there is to tell. */
  readonly more?: Readonly<Record<string, unknown>>;
};

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
