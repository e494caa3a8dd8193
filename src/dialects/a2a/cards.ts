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
/** Where nobody could say. */
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
    if (this.#parts.at === 'none') return { is: 'none' };
    const stale = this.#parts.clock.monotonic() >= this.#stale_at;
    const known = this.#known;
    if (known !== null && !(stale && known.is === 'unsure')) {
      if (stale) void this.#look();
      return known;
    }
    return patiently(this.#look(), signal);
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
    const { timers, clock, web, home, headers, at } = this.#parts;
    const places = placesFor(at, home);
    const before = this.#known?.is === 'found' ? this.#known : null;
    const looked = await within({ ms: LOOK_MS, timers }, this.#closed.signal, (signal) => {
      const parts: LookupParts = { web, home, headers, signal };
      return before === null ? lookUpCard(parts, places) : lookAgain(parts, places, before.found);
    });
    const known = merged(before, looked);
    this.#known = known;
    this.#stale_at = clock.monotonic() + goodFor(looked, known);
    return known;
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
  return looked.is === 'unchanged' ? { is: 'none' } : looked;
}

function goodFor(looked: Looked, known: Known): number {
  if (looked.is === 'unsure') return UNSURE_MS;
  const said = known.is === 'found' ? freshOf(known.found) : USUALLY_MS;
  return Math.min(Math.max(said, SHORTEST_MS), LONGEST_MS);
}

function freshOf({ fresh_ms }: Found): number {
  return fresh_ms ?? USUALLY_MS;
}
