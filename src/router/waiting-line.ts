import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Came, Line } from '../core/ports/router.ts';

/** After the last call of a line it is called once more, in case somebody was missed. */
const QUIET_MS = 1000;
/** Whatever else happens, who is known to wait is looked at so often. */
const LOOK_MS = 10_000;
/** Who came unexpectedly is a sign of so many more, but never of more than this in all. */
const MORE = 2;
const MOST_GUESSED = 64;
/** Where there is room for any number, they still come by and by. */
const MOST_AT_ONCE = 1000;

/** After the first call of several that follow each other at once. */
const FOLLOWS_MS = 20;
/** Whose line is so many times as long as what comes meanwhile hardly notices it. */
export const LONG = 20;

/** So long, and so many places, may come together before a line is called again: nothing is lost by it. */
export type Patience = { readonly ms: number; readonly places: number };

/** For so many places at most; null where each is of use at once. */
export function shortened(patience: Patience | null, places: number): Patience | null {
  if (patience === null || places >= patience.places) return patience;
  return places < 1 ? null : { ms: (patience.ms * places) / patience.places, places };
}

/** Where places for a line come from. */
export type LineSource = {
  /** How many could begin now, besides those who were called already. */
  room(now: number): number;
  /** Returns the way to give up those of so many who do not come. */
  keep(count: number, now: number): (absent: number) => void;
  /** When there may be room by the passing of time alone, or null where a call that ends makes it. */
  nextAt(now: number): number | null;
  /** How long places may be gathered, or null where each is of use at once. */
  readonly patience: (now: number) => Patience | null;
};

/** Somebody who was called from that line and waits on here: what gives up the place that is kept there. */
export type Carried = { readonly from: string; readonly gone: () => void };

export type LineParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Answers who comes, and tells of those among them who then go elsewhere. */
  readonly ring: (line: Line, places: number, astray: (count: number) => void) => Promise<Came>;
  /** Places that were kept are free: others may wait for them. */
  readonly freed: () => void;
  /** Nobody was there. */
  readonly vain: (line: Line) => void;
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
  /** How many have come to wait so far, and how many of them were called, or were not there. */
  #joined = 0;
  #called = 0;
  #guessed = 0;
  /** Those who were called elsewhere before, and are kept a place there: by the name of that line. */
  readonly #carried = new Map<string, (() => void)[]>();
  #rangAt: number | null = null;
  #openedAt = Number.NEGATIVE_INFINITY;
  /** So many have come since the line was at its end. */
  #came = 0;
  #stopped = false;
  #timer: { readonly at: number; readonly cancel: () => void } | null = null;

  constructor(line: Line, source: LineSource, parts: LineParts) {
    this.line = line;
    this.#source = source;
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#joined - this.#called;
  }

  /** There may be room that is for those who wait here, although they are not called yet. */
  gathers(now: number): boolean {
    return this.waiting > 0 && this.#opensAt(now) > now;
  }

  /** When it may be called by the passing of time alone, or null where a call that ends makes room. */
  dueAt(now: number): number | null {
    const opensAt = this.#opensAt(now);
    return opensAt > now ? opensAt : this.#source.nextAt(now);
  }

  wait(carried: Carried | null = null): void {
    this.#joined++;
    if (carried !== null) this.#carriedFrom(carried.from).push(carried.gone);
    this.#arm(this.#parts.clock.monotonic());
  }

  /** One who was called from that line before has come. */
  came(from: string): void {
    const list = this.#carried.get(from);
    list?.pop();
    if (list?.length === 0) this.#carried.delete(from);
  }

  #carriedFrom(from: string): (() => void)[] {
    const list = this.#carried.get(from) ?? [];
    this.#carried.set(from, list);
    return list;
  }

  /** Other engines have called them. */
  #allGone(): void {
    const lists = [...this.#carried.values()];
    this.#carried.clear();
    for (const gone of lists.flat()) gone();
  }

  /** Somebody came from here who was not called, or for whom no place was kept: there may be more of whom nothing is known. */
  suspect(): void {
    this.#guessed = Math.min(this.#guessed + MORE, MOST_GUESSED);
    this.check();
  }

  /** Something has changed: calls as many as there is room for, and keeps their places. */
  check(): void {
    const now = this.#parts.clock.monotonic();
    // Where nobody waits, nobody asks for room: others may need it.
    const expected = this.#opensAt(now) > now ? 0 : Math.min(this.waiting + this.#guessed, MOST_AT_ONCE);
    const places = expected === 0 ? 0 : Math.min(expected, Math.max(0, this.#source.room(now)));
    if (places > 0) {
      if (now - this.#openedAt > FOLLOWS_MS) this.#openedAt = now;
      const known = Math.min(this.waiting, places);
      this.#called += known;
      this.#guessed -= places - known;
      this.#rangAt = now;
      this.#ring(places, atMost(places, this.#source.keep(places, now)));
    }
    this.#arm(now);
  }

  /**
   * When it may be called again. A long line is called for several at a time: that takes as few commits as for one, and
   * those who are not called at once would wait for long anyway.
   */
  #opensAt(now: number): number {
    if (this.line.kind !== 'rate' || now - this.#openedAt <= FOLLOWS_MS) return now;
    const patience = this.#source.patience(now);
    if (patience === null || this.waiting < LONG * patience.places) return now;
    return this.#openedAt + patience.ms;
  }

  #ring(places: number, giveUp: (absent: number) => void): void {
    const last = this.#joined;
    const astray = (count: number) => {
      giveUp(count);
      if (!this.#stopped) this.check();
      this.#parts.freed();
    };
    void this.#parts.ring(this.line, places, astray).then(
      ({ count, more }) => {
        this.#came = more > 0 ? this.#came + count : 0;
        if (count < places) {
          giveUp(places - count);
          if (more === 0) this.#atEnd(last);
          if (count === 0) this.#parts.vain(this.line);
          this.#parts.freed();
        }
        if (more > 0) this.#leftBehind(more);
      },
      // The store is away, or the engine has stopped; whoever starts next calls them.
      () => {},
    );
  }

  /** Who was thought to stand further back is not there either, but for those who came since. */
  #atEnd(last: number): void {
    this.#called = Math.max(this.#called, last);
    this.#guessed = 0;
    this.#allGone();
  }

  /** The store had the line before this process: more are left in it than are known. As many as have come are thought to be. */
  #leftBehind(more: number): void {
    if (this.#stopped || this.waiting >= more) return;
    this.#joined = this.#called + Math.max(more, Math.min(this.#came, MOST_AT_ONCE));
    this.check();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#timer = null;
  }

  #arm(now: number): void {
    const at = this.waiting > 0 ? this.#looksAt(now) : (this.#rangAt ?? now) + QUIET_MS;
    if (this.#timer !== null && this.#timer.at <= at) return;
    this.#timer?.cancel();
    const cancel = this.#parts.timers.after(Math.max(1, at - now), () => {
      this.#timer = null;
      this.#due();
    });
    this.#timer = { at, cancel };
  }

  /** Where it is only held back there may be room already, of which nothing more is heard. */
  #looksAt(now: number): number {
    const due = this.dueAt(now) ?? Number.POSITIVE_INFINITY;
    return this.#opensAt(now) > now ? due : Math.min(due, now + LOOK_MS);
  }

  #due(): void {
    const now = this.#parts.clock.monotonic();
    const quiet = this.waiting === 0 && now - (this.#rangAt ?? now) >= QUIET_MS;
    if (!quiet) {
      this.check();
      return;
    }
    this.#allGone();
    this.#ring(1, () => {});
    this.#parts.over(this.line);
  }
}

/** In all, however often it is called. */
function atMost(kept: number, giveUp: (absent: number) => void): (absent: number) => void {
  let left = kept;
  return (absent) => {
    const gone = Math.min(absent, left);
    left -= gone;
    giveUp(gone);
  };
}
