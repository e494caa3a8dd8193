import { backoffMs } from '../rpc/websocket/backoff.ts';

export type Reconnect = {
  /** The first pause after a loss; each one in vain doubles it. */
  readonly first_ms?: number | undefined;
  readonly longest_ms?: number | undefined;
  /** How long in a row a server that was there may be away; `Infinity` never gives up. */
  readonly give_up_ms?: number | undefined;
};

/** For whoever wants to show that it is waited for a server that was there. */
export type WhenAway = {
  /** It is tried again by itself; once for each time. */
  readonly away?: ((error: Error) => void) | undefined;
  readonly back?: (() => void) | undefined;
};

export type Patience = { readonly [Key in keyof Reconnect]-?: number };

const defaults: Patience = { first_ms: 100, longest_ms: 5000, give_up_ms: 60_000 };

/** A server that never was there is most likely an address that is wrong: whoever asks should hear so soon. */
const TRIES_WHEN_NEW = 3;

export function patienceOf(given: Reconnect = {}): Patience {
  return {
    first_ms: atLeast('first_ms', given.first_ms ?? defaults.first_ms, 1),
    longest_ms: atLeast('longest_ms', given.longest_ms ?? defaults.longest_ms, 1),
    give_up_ms: atLeast('give_up_ms', given.give_up_ms ?? defaults.give_up_ms, 0),
  };
}

function atLeast(name: string, value: number, least: number): number {
  if (typeof value === 'number' && value >= least) return value;
  throw new TypeError(`reconnect.${name} must be a number of at least ${least}`);
}

/** What is known of the server, whichever way it was learnt. */
export type Known = { reached: boolean };

/** What came before the next try. */
export type Trouble = {
  /** Tries in vain in a row, at least one. */
  readonly failures: number;
  readonly since_ms: number;
  /** Whether the server was ever there. */
  readonly reached: boolean;
};

/** How long to pause before the next try; null when it is time to give up. `chance` is from 0 to 1. */
export function pauseBefore(patience: Patience, trouble: Trouble, chance: number): number | null {
  const { failures, since_ms, reached } = trouble;
  if (reached ? since_ms >= patience.give_up_ms : failures >= TRIES_WHEN_NEW) return null;
  return backoffMs(patience, failures - 1, chance);
}
