import { Keeps } from './keeps.ts';
import type { Places } from './places.ts';
import type { Limits } from './settings.ts';
import type { Tokens } from './tokens.ts';
import { type Patience, shortened } from './waiting-line.ts';

/** Tokens gather for so long at most, and never so many that a late timer would lose some. */
const MOST_GATHERED_MS = 1000;
const GATHERED_PART = 0.75;
/**
 * How long a place is kept for somebody who was called and comes: the engine may have much else to do first. Where other
 * engines share the places, one of them may have called it away while it waited for something else, of which nothing is
 * heard here: who comes too late then waits once more.
 */
const KEPT_MS = 10_000;
const KEPT_OF_SHARED_MS = 400;

export type GateKind = 'concurrency' | 'rate';

/** Where what a gate lets in is counted: rates, and places where others take of them too. */
export type Counted = {
  readonly tokens: Tokens | null;
  readonly places?: ((most: number, used: (now: number) => number) => Places | null) | undefined;
  /** Hears that there may be room for others than those who wait where a call came from. */
  readonly freed?: (() => void) | undefined;
};

type Before = {
  readonly keeps: Keeps;
  readonly inside: { count: number };
  readonly places: Places | null;
};

const before = (): Before => ({ keeps: new Keeps(), inside: { count: 0 }, places: null });

/** Lets calls in by how many are inside, and by how many came lately. Both have to allow a call. */
export class Gate {
  readonly tokens: Tokens | null;
  readonly keeps: Keeps;
  /** Null for no limit. */
  readonly concurrency: number | null;
  readonly #window: number;
  readonly #inside: { count: number };
  readonly #places: Places | null;
  readonly #freed: (() => void) | undefined;

  constructor(
    { concurrency, window }: Pick<Limits, 'concurrency' | 'window'>,
    { tokens, places, freed }: Counted,
    { keeps, inside, places: known }: Before = before(),
  ) {
    this.concurrency = concurrency;
    this.#window = window ?? Number.POSITIVE_INFINITY;
    this.tokens = tokens;
    this.#freed = freed;
    this.keeps = keeps;
    this.#inside = inside;
    if (concurrency === null) {
      known?.drop();
      this.#places = null;
      return;
    }
    known?.setMost(concurrency);
    this.#places = known ?? places?.(concurrency, (now) => inside.count + keeps.count(now)) ?? null;
  }

  /** Other limits for the same calls: those inside count on, and leave by whichever they came in. */
  with(limits: Pick<Limits, 'concurrency' | 'window'>, counted: Counted): Gate {
    if (counted.tokens !== this.tokens) void this.tokens?.drop();
    return new Gate(limits, counted, { keeps: this.keeps, inside: this.#inside, places: this.#places });
  }

  get inside(): number {
    return this.#inside.count;
  }

  /** How many may be inside at once, here and now. */
  #allowed(now: number): number {
    return Math.min(this.#window, this.#allowedByAll(now));
  }

  /** The same by the limit that all processes share. */
  #allowedByAll(now: number): number {
    if (this.concurrency === null) return Number.POSITIVE_INFINITY;
    return this.#places?.allowed(this.inside + this.keeps.count(now)) ?? this.concurrency;
  }

  /** How many may come in now. Whoever was called may also take what is kept. */
  free(now: number, called: boolean): number {
    const kept = called ? 0 : this.keeps.count(now);
    const tokens = this.tokens?.free(now) ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#allowed(now) - this.inside, tokens) - kept;
  }

  /** The same with what is only to be fetched, as far as is known here. */
  soon(now: number, called: boolean): number {
    return this.spare(now) - (called ? 0 : this.keeps.count(now));
  }

  /** Somebody is to be let in: what is short here is fetched, as long as it may be there. Only to look needs nothing. */
  want(now: number, called = false): void {
    const kept = called ? 0 : this.keeps.count(now);
    if (this.#allowedByAll(now) - this.inside <= kept) this.#places?.hungry(now);
    this.tokens?.want(now);
  }

  /** What it lets in may have to be fetched from what others have too. */
  get isFetched(): boolean {
    return this.tokens !== null || this.#places?.isShared() === true;
  }

  /** How many could come in besides those who are inside, with places that are only to be fetched. */
  left(now: number): number {
    const used = this.inside + this.keeps.count(now);
    const could = this.#places?.could(used, now) ?? this.concurrency ?? Number.POSITIVE_INFINITY;
    return Math.max(0, Math.min(this.#window, could) - this.inside);
  }

  /** Those that rates allow counted as well: how many could begin, kept places included. */
  spare(now: number): number {
    return Math.min(this.left(now), this.tokens?.left(now) ?? Number.POSITIVE_INFINITY);
  }

  /** What it is that lets nobody in. */
  blocks(now: number): GateKind {
    if (this.tokens === null) return 'concurrency';
    const taken = this.inside + this.keeps.count(now);
    return taken >= this.#allowed(now) ? 'concurrency' : 'rate';
  }

  /** When more may come in by the passing of time alone, or null. */
  nextAt(now: number): number | null {
    const until = this.keeps.count(now) === 0 ? null : this.keeps.until;
    return earliest([this.tokens?.nextAt(now) ?? null, this.#places?.waitsUntil(now) ?? null, until]);
  }

  /** How long tokens may gather before the first of them is lost; null where there are none, or not one more by then. */
  get patience(): Patience | null {
    if (this.tokens === null) return null;
    const { per_ms, burst } = this.tokens.limit;
    const ms = Math.min(MOST_GATHERED_MS, (burst * GATHERED_PART) / per_ms);
    if (ms * per_ms < 1) return null;
    // What gathers has to find places at once, or it is lost as well.
    const places = Math.min(this.concurrency ?? Number.POSITIVE_INFINITY, this.#window) / 2;
    return shortened({ ms, places: ms * per_ms }, places);
  }

  /** Returns whether a place had been kept where one was called. */
  enter(now: number, called: boolean): boolean {
    this.#inside.count++;
    this.tokens?.take(now);
    return called && this.keeps.use(now);
  }

  /** A call that began before it could be asked. */
  admit(): void {
    this.#inside.count++;
  }

  leave(): void {
    this.#inside.count--;
    this.#places?.left();
    this.#freed?.();
  }

  keep(count: number, now: number): void {
    this.keeps.add(count, now + (this.#places?.isShared() === true ? KEPT_OF_SHARED_MS : KEPT_MS));
  }

  /** So many of those who were called do not come: others may have the places. */
  giveUp(absent: number): void {
    this.keeps.drop(absent);
    if (absent === 0) return;
    this.#places?.left();
    this.#freed?.();
  }

  /** Nobody could tell it from a new one. */
  isLikeNew(now: number): boolean {
    const isEmpty = this.inside === 0 && this.keeps.count(now) === 0;
    return isEmpty && (this.#places?.isIdle() ?? true) && (this.tokens?.isFull(now) ?? true);
  }

  /** Its limits are gone; calls that are inside still leave by it. */
  drop(): void {
    this.#places?.drop();
    void this.tokens?.drop();
  }
}

/** Of those that are known, or null. */
export function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
