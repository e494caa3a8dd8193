import type { Breaker } from '../core/pool/breaker.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import { type Change, KeptTimes } from './kept-times.ts';
import type { SharedState } from './shared-state.ts';

export type Opening = Pick<Extract<Breaker, { state: 'open' }>, 'until' | 'opened'>;

/**
 * Which breakers were open, and who did not answer when asked how it is, when a process ended: what its next life begins with.
 * Times are those of the monotonic clock.
 */
export interface Openings {
  /** By method, also those whose time is over: nobody has found out yet whether the service is well again. */
  of(id: string): ReadonlyMap<string, Opening>;
  opened(id: string, method: string, opening: Opening): void;
  closed(id: string, method: string): void;
  /** Whether it was ill when somebody last asked it. */
  isIll(id: string): boolean;
  fellIll(id: string): void;
  recovered(id: string): void;
  /** It may be asked whatever was, or is another service now. */
  forget(id: string): void;
  /** The store takes writes: what could not be written before is. */
  again(): void;
}

/** Forgotten with the process. */
export const noOpenings: Openings = {
  of: () => new Map(),
  opened() {},
  closed() {},
  isIll: () => false,
  fellIll() {},
  recovered() {},
  forget() {},
  again() {},
};

export type KeptOpeningsParts = {
  readonly state: SharedState;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** Who opens again so soon after is not written down again: to the next life it makes no difference. */
const WORTH_TELLING_MS = 1000;
/** A document has an end. Beyond, those are forgotten first that would be tried first. */
const MOST = 1000;
/** Who is ill is so for every method: no method has this name. */
const EVERY = '';

/**
 * Kept in the store, so that a restart is no reason to send a service that is ill everything that waits for it. Engines judge
 * for themselves: one that starts reads what all of them have written, and from then on goes by its own calls.
 */
export class KeptOpenings implements Openings {
  readonly #clock: Clock;
  readonly #kept: KeptTimes;

  constructor({ state, clock, logger }: KeptOpeningsParts) {
    this.#clock = clock;
    this.#kept = new KeptTimes({
      ...{ state, logger, name: 'open' },
      warnings: {
        unread: 'which services were left in peace before could not be read',
        unwritten: 'that a service is left in peace could not be written down',
      },
    });
  }

  of(id: string): ReadonlyMap<string, Opening> {
    const [wall, now] = [this.#clock.wall(), this.#clock.monotonic()];
    const found = [...this.#kept.told].flatMap(([key, { until, ms, times = 1 }]): [string, Opening][] => {
      const [provider, method] = namesIn(key);
      return provider === id && method !== EVERY
        ? [[method, { until: now + Math.min(until - wall, ms), opened: times }]]
        : [];
    });
    return new Map(found);
  }

  opened(id: string, method: string, { until: at, opened: times }: Opening): void {
    const key = keyOf(id, method);
    const ms = at - this.#clock.monotonic();
    const until = this.#clock.wall() + ms;
    const before = this.#kept.told.get(key)?.until ?? Number.NEGATIVE_INFINITY;
    if (before + WORTH_TELLING_MS > until) return;
    this.#kept.change((told) => {
      if ((told.get(key)?.until ?? Number.NEGATIVE_INFINITY) < until) told.set(key, { until, ms, times });
      dropFirst(told, MOST);
    });
  }

  closed(id: string, method: string): void {
    this.#drop(keyOf(id, method));
  }

  isIll(id: string): boolean {
    return this.#kept.told.has(keyOf(id, EVERY));
  }

  /** Until it answers, whenever that is. */
  fellIll(id: string): void {
    if (this.isIll(id)) return;
    const ill = { until: this.#clock.wall(), ms: 0 };
    this.#kept.change((told) => {
      told.set(keyOf(id, EVERY), ill);
      dropFirst(told, MOST);
    });
  }

  recovered(id: string): void {
    this.#drop(keyOf(id, EVERY));
  }

  #drop(key: string): void {
    if (this.#kept.told.has(key)) this.#kept.change((told) => told.delete(key));
  }

  /** Others may have told of it since this process looked. */
  forget(id: string): void {
    this.keepOnly((provider) => provider !== id);
  }

  /** Whatever else is written down belongs to nobody any more. */
  keepOnly(isKnown: (id: string) => boolean): void {
    this.#kept.change((told) => {
      for (const key of told.keys()) if (!isKnown(namesIn(key)[0])) told.delete(key);
    });
  }

  look(): Promise<void> {
    return this.#kept.look();
  }

  again(): void {
    this.#kept.again();
  }

  /** Resolves when what is known here is written. */
  settled(): Promise<void> {
    return this.#kept.settled();
  }
}

function dropFirst(told: Parameters<Change>[0], most: number): void {
  if (told.size <= most) return;
  const inOrder = [...told].sort(([, a], [, b]) => a.until - b.until);
  for (const [key] of inOrder.slice(0, told.size - most)) told.delete(key);
}

/** The name of a method has no spaces; that of an agent may. */
function keyOf(id: string, method: string): string {
  return `${id} ${method}`;
}

function namesIn(key: string): [string, string] {
  const at = key.lastIndexOf(' ');
  return [key.slice(0, at), key.slice(at + 1)];
}
