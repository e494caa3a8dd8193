import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { WebClient } from '../../rpc/http/client.ts';
import { patiently } from '../mcp/patiently.ts';
import { within } from '../timeout.ts';
import {
  type CardPlace,
  cardPlaces,
  type Found,
  type Looked,
  type LookupParts,
  lookAgain,
  lookUpCard,
} from './card-lookup.ts';

/** An agent that serves one call at a time may be busy with one: then it is called without having seen its card. */
const LOOK_MS = 5000;
/** Cards that do not say for how long they are good, and agents without one, are looked at so often; */
const USUALLY_MS = 5 * 60_000;
/** and never more often or more seldom than this, whatever they say. */
const SHORTEST_MS = 10_000;
const LONGEST_MS = 60 * 60_000;
/** Where nobody could say, or only some. */
const UNSURE_MS = 5000;

export type CardsParts = {
  readonly web: Pick<WebClient, 'request'>;
  readonly home: URL;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly timers: Timers;
  /** `auto`, `none`, or the one place where it is looked for. */
  readonly at: string;
};

/** What is known of an agent's card; `found` is null where it has none. */
export type Known = Extract<Looked, { is: 'found' | 'none' | 'unsure' }>;

const noCard: Known = { is: 'none', certain: true };

/** The card of one agent: looked up when the first call needs it, and again now and then, without making calls wait. */
export class Cards {
  readonly #parts: CardsParts;
  readonly #closed = new AbortController();
  #known: Known | null = null;
  #stale_at = 0;
  #looking: Promise<Known> | null = null;

  constructor(parts: CardsParts) {
    this.#parts = parts;
  }

  /** Never rejects but for the signal: a card that cannot be had is an answer. */
  async known(signal: AbortSignal): Promise<Known> {
    if (this.#parts.at === 'none') return noCard;
    const stale = this.#parts.clock.monotonic() >= this.#stale_at;
    const known = this.#known;
    if (known !== null && !(stale && known.is === 'unsure')) {
      if (stale) void this.#look();
      return known;
    }
    return patiently(this.#look(), signal);
  }

  /** Somebody else has looked, at every place: what is known is as new as that. Nobody takes a card away by not seeing it. */
  seen(looked: Looked): void {
    const sees = looked.is === 'found' || (looked.is === 'none' && looked.certain);
    if (!sees || (looked.is === 'none' && this.#known?.is === 'found')) return;
    this.#keep(looked, looked);
  }

  close(): void {
    this.#closed.abort();
  }

  #look(): Promise<Known> {
    this.#looking ??= this.#ask().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #ask(): Promise<Known> {
    const { timers, web, home, headers, at } = this.#parts;
    const places = placesFor(at, home);
    const before = this.#known?.is === 'found' ? this.#known : null;
    const looked = await within({ ms: LOOK_MS, timers }, this.#closed.signal, (signal) => {
      const parts: LookupParts = { web, home, headers, signal };
      return before === null ? lookUpCard(parts, places) : lookAgain(parts, places, before.found);
    });
    const known = merged(before, looked);
    this.#keep(known, looked);
    return known;
  }

  #keep(known: Known, looked: Looked): void {
    this.#known = known;
    this.#stale_at = this.#parts.clock.monotonic() + goodFor(looked, known);
  }
}

/** Where an agent at an address is asked for its card, as a configuration says it: none at all for `none`. */
export function placesFor(at: string, home: URL): readonly CardPlace[] {
  if (at === 'none') return [];
  return at === 'auto' ? cardPlaces(home) : [{ url: new URL(at, home), accepts: () => true }];
}

/** A card that was there is still the best there is when nobody can say what became of it. */
function merged(before: Extract<Known, { is: 'found' }> | null, looked: Looked): Known {
  if (before !== null && (looked.is === 'unchanged' || looked.is === 'unsure')) return before;
  return looked.is === 'unchanged' ? noCard : looked;
}

function goodFor(looked: Looked, known: Known): number {
  if (looked.is === 'unsure' || (looked.is === 'none' && !looked.certain)) return UNSURE_MS;
  const said = known.is === 'found' ? freshOf(known.found) : USUALLY_MS;
  return Math.min(Math.max(said, SHORTEST_MS), LONGEST_MS);
}

function freshOf({ fresh_ms }: Found): number {
  return fresh_ms ?? USUALLY_MS;
}
