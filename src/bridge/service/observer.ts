/** How the call of a task ended, in a word: done, again, outside, or the class of its error. */
export type Outcome = string;

/** Hears what a bridge does, for metrics. Must be quick and must not throw. */
export interface BridgeObserver {
  /** A message was taken; `repeated`: its call runs here or was made here before. */
  received(kind: 'own' | 'foreign' | 'repeated'): void;
  deadLetter(error_code: string): void;
  /** A result is durable. */
  answered(agent: string, outcome: Outcome, ms: number): void;
  /** A call of another executor's task is made again. */
  retried(agent: string): void;
  /** Nobody wants its answer any more, or it came too late. */
  dropped(why: 'cancelled' | 'expired' | 'lost'): void;
}

/** Where nobody looks. */
export const noBridgeObserver: BridgeObserver = {
  received() {},
  deadLetter() {},
  answered() {},
  retried() {},
  dropped() {},
};
