import type { Timers } from '../core/ports/clock.ts';
import type { Write } from '../core/writes.ts';

/** A ride waits for one to two times as long before it goes with a commit: most are no longer needed by then. */
const RIDE_MS = 5;

/** Takes back a ride that is no longer needed. */
export type Ride = { drop(): void };

type Rider = { readonly make: () => Write; dropped: boolean };

/**
 * Writes that nobody waits for, held back for a moment: what is superseded so soon need not be written. Each waits for its own
 * moment. If those that came just now left with the first, a steady flow of short calls would keep writing starts.
 */
export class Rides {
  readonly #timers: Timers;
  readonly #leave: (writes: readonly Write[]) => void;
  #waiting: Rider[] = [];
  #new: Rider[] = [];
  #cancel: (() => void) | null = null;

  constructor(timers: Timers, leave: (writes: readonly Write[]) => void) {
    this.#timers = timers;
    this.#leave = leave;
  }

  add(make: () => Write): Ride {
    const rider: Rider = { make, dropped: false };
    this.#new.push(rider);
    this.#cancel ??= this.#timers.after(RIDE_MS, this.#due);
    return {
      drop: () => {
        rider.dropped = true;
      },
    };
  }

  /** All that are still needed leave now. */
  all(): void {
    this.close();
    const riders = [...this.#waiting, ...this.#new];
    this.#waiting = [];
    this.#new = [];
    this.#send(riders);
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #due = (): void => {
    const riders = this.#waiting;
    this.#waiting = this.#new.filter(isNeeded);
    this.#new = [];
    this.#cancel = this.#waiting.length === 0 ? null : this.#timers.after(RIDE_MS, this.#due);
    this.#send(riders);
  };

  #send(riders: readonly Rider[]): void {
    const writes = riders.filter(isNeeded).map(({ make }) => make());
    if (writes.length > 0) this.#leave(writes);
  }
}

function isNeeded({ dropped }: Rider): boolean {
  return !dropped;
}
