import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Line } from '../core/ports/router.ts';

/** How long a place is kept for somebody who was called and comes: the engine may have much else to do first. */
const KEPT_MS = 10_000;
/** After the last call of a line it is called once more, in case somebody was missed. */
const QUIET_MS = 1000;
/** Whatever else happens, who is known to wait is looked at so often. */
const LOOK_MS = 10_000;
/** Who came unexpectedly is a sign of so many more, but never of more than this in all. */
const MORE = 2;
const MOST_GUESSED = 64;
/** Where there is room for any number, they still come by and by. */
const MOST_AT_ONCE = 1000;

/** Where places for a line come from. */
export type LineSource = {
  /** How many could begin now, besides those who were called already. */
  room(now: number): number;
  /** Returns the way to give up those of so many who do not come. */
  keep(count: number, until: number): (absent: number) => void;
  /** When there may be room by the passing of time alone, or null where a call that ends makes it. */
  nextAt(now: number): number | null;
};

export type LineParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Answers how many come. */
  readonly ring: (line: Line, places: number) => Promise<number>;
  /** Places that were kept are free: others may wait for them. */
  readonly freed: () => void;
  /** Nobody waits here any more, as far as is known. */
  readonly over: (line: Line) => void;
};

/**
 * Those who wait for the same thing, as this process knows them. The store has the line itself: others may wait in it who
 * came before a restart, and some who are counted here may be gone. So a place that is kept is given up after a while, and
 * before the line is forgotten it is called once more.
 */
export class WaitingLine {
  readonly line: Line;
  readonly #source: LineSource;
  readonly #parts: LineParts;
  #waiting = 0;
  #guessed = 0;
  #rangAt: number | null = null;
  #timer: { readonly at: number; readonly cancel: () => void } | null = null;

  constructor(line: Line, source: LineSource, parts: LineParts) {
    this.line = line;
    this.#source = source;
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#waiting;
  }

  wait(): void {
    this.#waiting++;
    this.#arm(this.#parts.clock.monotonic());
  }

  /** Somebody was called from here for whom no place was kept: there may be more of whom nothing is known. */
  suspect(): void {
    this.#guessed = Math.min(this.#guessed + MORE, MOST_GUESSED);
    this.check();
  }

  /** Something has changed: calls as many as there is room for. Places are kept only for those who are known. */
  check(): void {
    const now = this.#parts.clock.monotonic();
    const room = Math.max(0, this.#source.room(now));
    const places = Math.min(this.#waiting + this.#guessed, MOST_AT_ONCE, room);
    if (places > 0) {
      const known = Math.min(this.#waiting, places);
      this.#waiting -= known;
      this.#guessed -= places - known;
      this.#rangAt = now;
      this.#ring(places, this.#source.keep(known, now + KEPT_MS));
    }
    this.#arm(now);
  }

  #ring(places: number, giveUp: (absent: number) => void): void {
    const behind = this.#waiting;
    void this.#parts.ring(this.line, places).then(
      (come) => {
        if (come >= places) return;
        // The line is at its end: who was thought to stand further back is not there either.
        this.#waiting = Math.max(0, this.#waiting - behind);
        this.#guessed = 0;
        giveUp(places - come);
        this.#parts.freed();
      },
      // The store is away, or the engine has stopped; whoever starts next calls them.
      () => {},
    );
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #arm(now: number): void {
    const at =
      this.#waiting > 0
        ? Math.min(this.#source.nextAt(now) ?? Number.POSITIVE_INFINITY, now + LOOK_MS)
        : (this.#rangAt ?? now) + QUIET_MS;
    if (this.#timer !== null && this.#timer.at <= at) return;
    this.stop();
    const cancel = this.#parts.timers.after(Math.max(1, at - now), () => {
      this.#timer = null;
      this.#due();
    });
    this.#timer = { at, cancel };
  }

  #due(): void {
    const now = this.#parts.clock.monotonic();
    const quiet = this.#waiting === 0 && now - (this.#rangAt ?? now) >= QUIET_MS;
    if (!quiet) {
      this.check();
      return;
    }
    this.#ring(1, () => {});
    this.#parts.over(this.line);
  }
}
