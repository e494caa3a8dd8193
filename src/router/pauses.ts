import { REMEMBERED_MS, type TurnedAway } from '../core/pool/turned-away.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import { type Change, KeptTimes, type Told } from './kept-times.ts';
import type { SharedState } from './shared-state.ts';

/** Until when services have asked to be left alone, by the id of their provider. Times are those of the monotonic clock. */
export interface Pauses {
  until(id: string): number;
  /** How often in a row it had turned calls away without a word, the last one included; also where that is over. */
  times(id: string): number;
  asked(id: string, ms: number, times?: number): void;
  /** It may be asked again, whatever it said. */
  ended(id: string): void;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** Forgotten with the process. */
export class OwnPauses implements Pauses {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #paused = new Map<string, TurnedAway>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  until(id: string): number {
    return this.#paused.get(id)?.until ?? NEVER;
  }

  times(id: string): number {
    return this.#paused.get(id)?.times ?? 0;
  }

  asked(id: string, ms: number, times = 0): void {
    const until = this.#clock.monotonic() + ms;
    if (until > this.until(id)) this.#paused.set(id, { times, until });
  }

  ended(id: string): void {
    this.#paused.delete(id);
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
  #shared = new Map<string, TurnedAway>();
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
    return Math.max(this.#own.until(id), this.#shared.get(id)?.until ?? NEVER);
  }

  times(id: string): number {
    const shared = this.#shared.get(id);
    return shared !== undefined && shared.until > this.#own.until(id) ? shared.times : this.#own.times(id);
  }

  asked(id: string, ms: number, times = 0): void {
    this.#own.asked(id, ms, times);
    const until = this.#clock.wall() + ms;
    const before = this.#kept.told.get(id)?.until ?? 0;
    if (ms < WORTH_TELLING_MS || before + WORTH_TELLING_MS > until) return;
    this.#tell((told) => {
      if ((told.get(id)?.until ?? 0) < until) told.set(id, { until, ms, times });
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

  /** Without what says nothing any more. */
  #tell(change: Change): void {
    this.#kept.change((told) => {
      for (const [id, { until }] of told) if (until + REMEMBERED_MS <= this.#clock.wall()) told.delete(id);
      change(told);
    });
  }

  #learned(told: ReadonlyMap<string, Told>): void {
    const [wall, now] = [this.#clock.wall(), this.#clock.monotonic()];
    this.#shared = new Map(
      [...told].map(([id, { until, ms, times = 0 }]) => [
        id,
        { times, until: now + Math.min(until - wall, ms) },
      ]),
    );
    this.#listener();
  }
}
