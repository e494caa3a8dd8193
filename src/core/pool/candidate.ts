import type { Failing, Latency } from './latency.ts';

/** Somebody who has the method, as far as the choice is concerned. */
export type Candidate = {
  readonly id: string;
  /** Whether it may be asked, now or in a moment: not open, not full, not paused. */
  readonly free: boolean;
  /** A place is kept there for somebody who was called, as this call was. */
  readonly kept?: boolean;
  /** An earlier attempt at the same task failed with it. */
  readonly avoided: boolean;
  /** Lower ones first; the next only where nobody of these may be asked. */
  readonly tier: number;
  readonly zone: string | null;
  /** A whole number: with twice the weight it gets twice the calls. */
  readonly weight: number;
  readonly in_flight: number;
  /** Those of them that are of the method which is called. */
  readonly under_way?: number;
  /** Of the method that is called. */
  readonly latency: Latency | null;
  /** Of all its methods together: counts where nobody is known by the one that is called. */
  readonly overall?: Latency | null;
  /** Of the method that is called. */
  readonly failing?: Failing | null;
  /** It has answered a call of the method, if only with an error: without a latency it is not new all the same. */
  readonly tried?: boolean;
};

/**
 * Somebody counts for as many as it weighs, over whom its calls are spread evenly: how many those have of whom the next one would be, and how
 * many of them there are. So equals get as many calls as they weigh, with nothing in flight as with much.
 */
export function loadOf({ in_flight, weight }: Candidate): {
  readonly level: number;
  readonly places: number;
} {
  return { level: Math.floor(in_flight / weight), places: weight - (in_flight % weight) };
}
