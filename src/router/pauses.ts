import type { Clock } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import { type Change, KeptTimes, type Told } from './kept-times.ts';
import type { SharedState } from './shared-state.ts';

/** Until when services have asked to be left alone, by the id of their provider. Times are those of the monotonic clock. */
export interface Pauses {
  until(id: string): number;
  asked(id: string, ms: number): void;
  /** It may be asked again, whatever it said. */
  ended(id: string): void;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** Forgotten with the process. */
export class OwnPauses implements Pauses {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #until = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  until(id: string): number {
    return this.#until.get(id) ?? NEVER;
  }

  asked(id: string, ms: number): void {
    this.#until.set(id, Math.max(this.until(id), this.#clock.monotonic() + ms));
  }

  ended(id: string): void {
    this.#until.delete(id);
  }
}

export type SharedPausesParts = {
  readonly state: SharedState;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** Who asks for less is back before others have read of it. */
const WORTH_TELLING_MS = 1000;

/** Kept in the store: one engine hears it for all, and a restart is no reason to ask a service that wants to be left alone. */
export class SharedPauses implements Pauses {
  readonly #clock: Clock;
  readonly #own: OwnPauses;
  readonly #kept: KeptTimes;
  #shared = new Map<string, number>();
  #listener: () => void = () => {};

  constructor({ state, clock, logger }: SharedPausesParts) {
    this.#clock = clock;
    this.#own = new OwnPauses(clock);
    this.#kept = new KeptTimes({
      ...{ state, logger, name: 'paused', learned: (told) => this.#learned(told) },
      warnings: {
        unread: 'which services asked to be left alone could not be read',
        unwritten: 'that a service asked to be left alone could not be written down',
      },
    });
  }

  /** Somebody else has told something: there may be room, or less of it. */
  onNews(listener: () => void): void {
    this.#listener = listener;
  }

  until(id: string): number {
    return Math.max(this.#own.until(id), this.#shared.get(id) ?? NEVER);
  }

  asked(id: string, ms: number): void {
    this.#own.asked(id, ms);
    const until = this.#clock.wall() + ms;
    const before = this.#kept.told.get(id)?.until ?? 0;
    if (ms < WORTH_TELLING_MS || before + WORTH_TELLING_MS > until) return;
    this.#tell((told) => {
      if ((told.get(id)?.until ?? 0) < until) told.set(id, { until, ms });
    });
  }

  ended(id: string): void {
    this.#own.ended(id);
    this.#shared.delete(id);
    if (this.#kept.told.has(id)) this.#tell((told) => told.delete(id));
  }

  look(): Promise<void> {
    return this.#kept.look();
  }

  /** The store takes writes. */
  again(): void {
    this.#kept.again();
  }

  /** Resolves when what is known here is written. */
  settled(): Promise<void> {
    return this.#kept.settled();
  }

  /** Without what is over by then. */
  #tell(change: Change): void {
    this.#kept.change((told) => {
      for (const [id, { until }] of told) if (until <= this.#clock.wall()) told.delete(id);
      change(told);
    });
  }

  #learned(told: ReadonlyMap<string, Told>): void {
    const [wall, now] = [this.#clock.wall(), this.#clock.monotonic()];
    this.#shared = new Map([...told].map(([id, { until, ms }]) => [id, now + Math.min(until - wall, ms)]));
    this.#listener();
  }
}
