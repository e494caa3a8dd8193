import type { StoreOptions } from '../../src/index.ts';
import type { ChaosOptions } from './arguments.ts';

/** What a game is played with. */
export type Game = {
  readonly options: ChaosOptions;
  readonly store: StoreOptions;
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
  /** What else there is to tell. */
  readonly more?: Readonly<Record<string, unknown>>;
};

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
