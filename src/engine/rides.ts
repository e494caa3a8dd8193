import type { Timers } from '../core/ports/clock.ts';
import type { Write } from '../core/writes.ts';

/** How long a ride waits before it goes with a commit: most are no longer needed by then. */
const RIDE_MS = 5;

/** Takes back a ride that is no longer needed. */
export type Ride = { drop(): void };

type Rider = { readonly make: () => Write; dropped: boolean };

/** Writes that nobody waits for, held back for a moment: what is superseded so soon need not be written. */
export class Rides {
  readonly #timers: Timers;
  readonly #due: () => void;
  #riders: Rider[] = [];
  #cancel: (() => void) | null = null;

  /** `due` is called when there may be some to take. */
  constructor(timers: Timers, due: () => void) {
    this.#timers = timers;
    this.#due = due;
  }

  add(make: () => Write): Ride {
    const rider: Rider = { make, dropped: false };
    this.#riders.push(rider);
    this.#cancel ??= this.#timers.after(RIDE_MS, this.#due);
    return {
      drop: () => {
        rider.dropped = true;
      },
    };
  }

  /** Those that are still needed, made now. */
  take(): Write[] {
    this.close();
    const left = this.#riders.filter(({ dropped }) => !dropped);
    this.#riders = [];
    return left.map(({ make }) => make());
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
