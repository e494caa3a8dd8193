import type { RateLimit } from '../core/pool/bucket.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { KeyCounting } from './key-gates.ts';
import { noOpenings, type Openings } from './openings.ts';
import { OwnPauses, type Pauses, type SharedPauses } from './pauses.ts';
import type { MakePlaces } from './places.ts';
import type { Quotas } from './quotas.ts';
import type { Limits } from './settings.ts';
import type { StoreTime } from './store-time.ts';
import { OwnTokens, type Tokens } from './tokens.ts';

/** Where limits are counted: those of providers and protocols by their names, those of keys by protocol. */
export type Counting = {
  readonly tokens: (name: string, limit: RateLimit) => Tokens;
  readonly places: MakePlaces;
  readonly keys: (protocol: string, limits: Limits) => KeyCounting;
  readonly pauses: Pauses;
  readonly openings: Openings;
  /** There may be room for somebody in any pool. */
  readonly more: () => void;
  /** The store has taken a commit, and this is what its clock showed. */
  readonly committed: (now: number) => void;
};

export type CountingParts = {
  readonly clock: Clock;
  /** Hears what the store's clock shows. */
  readonly storeTime?: StoreTime | undefined;
  /** What counts the calls of a provider or a protocol where there is a limit in a while; in memory unless given. */
  readonly tokens?: ((name: string, limit: RateLimit, more: () => void) => Tokens) | undefined;
  /** What the engines on a store share; without it this process counts alone. */
  readonly quotas?: Quotas | undefined;
  /** Who asked to be left alone, as all engines know it; without it this process remembers alone. */
  readonly pauses?: SharedPauses | undefined;
  /** Where open breakers are kept for the next life of this process; without it they are not. */
  readonly openings?: Openings | undefined;
};

/** `more`: there may be room for somebody. */
export function countingOf(parts: CountingParts, more: () => void): Counting {
  const { clock, tokens, quotas, pauses, openings = noOpenings, storeTime } = parts;
  quotas?.onMore(more);
  pauses?.onNews(more);
  return {
    tokens: (name, limit) => tokens?.(name, limit, more) ?? new OwnTokens(limit, clock.monotonic()),
    places: (name, most, used) => quotas?.places(name, most, used) ?? null,
    keys: (protocol, limits) => quotas?.keys(protocol, limits) ?? {},
    pauses: pauses ?? new OwnPauses(clock),
    openings,
    more,
    committed: (now) => {
      storeTime?.hear(now);
      pauses?.again();
      openings.again();
    },
  };
}
