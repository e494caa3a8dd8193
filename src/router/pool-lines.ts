import { lineOf } from '../core/parked.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import { type Came, type Line, type LineKind, lineKinds } from '../core/ports/router.ts';
import { LineTurns, ofKey } from './line-turns.ts';
import { type Carried, type LineParts, type LineSource, shortened, WaitingLine } from './waiting-line.ts';

export type { LineSource } from './waiting-line.ts';

export type PoolLinesParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ring: (line: Line, places: number, astray?: (count: number) => void) => Promise<Came>;
  /** How many of a key may be under way at once. */
  readonly ofEachKey: () => number;
};

/** `user=7`, for those who have to wait for something that other keys wait for too. */
export type Waiter = {
  readonly key: string | null;
  readonly carried: Carried | null;
  readonly found: boolean;
};

/** How many are known to wait for something of that kind. */
export type PoolWaiting = { readonly protocol: string; readonly kind: LineKind; readonly waiting: number };

const VAIN_MS = 10_000;
const MOST_VAIN = 1000;

/** The lines of a pool. Those of keys may be many and are looked up; the others are few and looked through. */
export class PoolLines {
  readonly #parts: PoolLinesParts;
  readonly #shared = new Map<string, WaitingLine>();
  readonly #ofKeys = new Map<string, WaitingLine>();
  /** Of those that are shared. */
  readonly #turns = new Map<string, LineTurns>();
  /** Lines in which there was nobody, and until when that is believed; in most pools most lines are never used. */
  readonly #vainUntil = new Map<string, number>();

  constructor(parts: PoolLinesParts) {
    this.#parts = parts;
  }

  /** Answers which line it stands in: those of each key have their own. */
  wait(line: Line, source: LineSource, { key, carried, found }: Waiter): Line {
    const own = ofKey(line, key);
    const opened = this.open(line, source);
    this.#turns.get(nameOf(line))?.joined(own, found);
    opened.wait(carried);
    return own;
  }

  /** There may be somebody in the line of whom nothing is known. Where nobody was a moment ago, nobody is looked for. */
  suspect(line: Line, source: LineSource, key: string | null): void {
    const own = ofKey(line, key);
    const until = this.#vainUntil.get(nameOf(own)) ?? Number.NEGATIVE_INFINITY;
    if (until > this.#parts.clock.monotonic()) return;
    const opened = this.open(line, source);
    this.#turns.get(nameOf(line))?.suspect(own);
    opened.suspect();
  }

  /** The line of that name; where there is none yet, one that gets its places from there. */
  open(line: Line, source: LineSource): WaitingLine {
    const lines = line.fair ? this.#ofKeys : this.#shared;
    const name = nameOf(line);
    const found = lines.get(name);
    if (found !== undefined) return found;
    const vain = (one: Line) => this.#foundNobody(nameOf(one));
    const freed = () => this.checkShared();
    const turns = line.fair ? null : new LineTurns(line, { ring: this.#parts.ring, vain });
    const over = () => {
      lines.get(name)?.stop();
      lines.delete(name);
      turns?.end();
      this.#turns.delete(name);
    };
    const ring: LineParts['ring'] = (one, places, astray) =>
      turns === null ? this.#parts.ring(one, places, astray) : turns.ring(places, astray);
    // More than that would come for nothing: the key of the rest would let nobody in.
    const come = () => ((turns?.keys ?? Number.POSITIVE_INFINITY) * this.#parts.ofEachKey()) / 2;
    const patience: LineSource['patience'] = (now) => shortened(source.patience(now), come());
    const opened = new WaitingLine(line, turns === null ? source : { ...source, patience }, {
      ...this.#parts,
      ring,
      over,
      vain,
      freed,
    });
    lines.set(name, opened);
    if (turns !== null) this.#turns.set(name, turns);
    return opened;
  }

  #foundNobody(name: string): void {
    if (this.#vainUntil.size >= MOST_VAIN) this.#vainUntil.clear();
    this.#vainUntil.set(name, this.#parts.clock.monotonic() + VAIN_MS);
  }

  checkKey(key: string): void {
    if (this.#ofKeys.size === 0) return;
    for (const kind of ['concurrency', 'rate'] as const) this.#ofKeys.get(nameOf({ kind, key }))?.check();
  }

  /** One who was called from that line before, and may have waited in another since. */
  came(from: string): void {
    for (const line of this.#shared.values()) line.came(from);
  }

  /** Each time another one is the first to be asked, so that no line takes every place that comes. */
  checkShared(): void {
    if (this.#shared.size === 0) return;
    const [first] = this.#shared;
    for (const line of [...this.#shared.values()]) line.check();
    if (first === undefined || !this.#shared.delete(first[0])) return;
    this.#shared.set(...first);
  }

  checkAll(): void {
    this.checkShared();
    for (const line of [...this.#ofKeys.values()]) line.check();
  }

  /** How many are known to wait in lines of a kind. */
  waiting(kind: LineKind): number {
    let count = 0;
    for (const lines of [this.#shared, this.#ofKeys])
      for (const line of lines.values()) if (line.line.kind === kind) count += line.waiting;
    return count;
  }

  waitingIn(protocol: string): readonly PoolWaiting[] {
    return lineKinds.map((kind) => ({ protocol, kind, waiting: this.waiting(kind) }));
  }

  /** When a line may be called; those of a key who wait for what all wait for are called with them. */
  dueAt(line: Pick<Line, 'kind' | 'key'>, now: number): number | null {
    // Places are made by calls that end: nobody knows when.
    if (line.kind === 'concurrency') return null;
    const own = this.#ofKeys.get(nameOf(line)) ?? this.#baseOf(line);
    const due = own?.dueAt(now) ?? null;
    return due === null || due <= now ? null : due;
  }

  #baseOf({ kind, key }: Pick<Line, 'kind' | 'key'>): WaitingLine | undefined {
    const isOf = ({ line }: WaitingLine) =>
      line.kind === kind && (key === line.key || key.startsWith(`${line.key} `));
    const found = [...this.#shared.values()].filter(isOf);
    return found.sort((a, b) => b.line.key.length - a.line.key.length)[0];
  }

  /** Whether the line that the store calls so is called here, as far as is known. */
  calls(from: string | undefined): boolean {
    const line = lineOf(from ?? null);
    if (line === null) return true;
    if (this.#shared.has(nameOf(line)) || this.#ofKeys.has(nameOf(line))) return true;
    return [...this.#turns].some(
      ([name, turns]) => name.startsWith(`${line.kind} `) && turns.knows(line.key),
    );
  }

  /** Whether places for those who wait there gather until several of them are called. */
  gathers(find: () => Line, now: number): boolean {
    if (this.#shared.size + this.#ofKeys.size === 0) return false;
    const line = find();
    const lines = line.fair ? this.#ofKeys : this.#shared;
    return lines.get(nameOf(line))?.gathers(now) ?? false;
  }

  /** How many are known to wait in lines of that name, for places or for time to pass. */
  waitingFor(key: string): number {
    let count = 0;
    for (const kind of ['concurrency', 'rate'] as const)
      count += this.#shared.get(nameOf({ kind, key }))?.waiting ?? 0;
    return count;
  }

  stop(): void {
    for (const line of [...this.#shared.values(), ...this.#ofKeys.values()]) line.stop();
    this.#shared.clear();
    this.#ofKeys.clear();
  }
}

function nameOf({ kind, key }: Pick<Line, 'kind' | 'key'>): string {
  return `${kind} ${key}`;
}
