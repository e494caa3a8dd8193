import type { Clock, Timers } from '../core/ports/clock.ts';
import { type Line, type LineKind, lineKinds } from '../core/ports/router.ts';
import { type LineSource, WaitingLine } from './waiting-line.ts';

export type { LineSource } from './waiting-line.ts';

export type PoolLinesParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ring: (line: Line, places: number) => Promise<number>;
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
  /** Lines in which there was nobody, and until when that is believed; in most pools most lines are never used. */
  readonly #vainUntil = new Map<string, number>();

  constructor(parts: PoolLinesParts) {
    this.#parts = parts;
  }

  /** There may be somebody in the line of whom nothing is known. Where nobody was a moment ago, nobody is looked for. */
  suspect(line: Line, source: LineSource): void {
    const until = this.#vainUntil.get(nameOf(line)) ?? Number.NEGATIVE_INFINITY;
    if (until <= this.#parts.clock.monotonic()) this.open(line, source).suspect();
  }

  /** The line of that name; where there is none yet, one that gets its places from there. */
  open(line: Line, source: LineSource): WaitingLine {
    const lines = line.fair ? this.#ofKeys : this.#shared;
    const name = nameOf(line);
    const found = lines.get(name);
    if (found !== undefined) return found;
    const over = () => {
      lines.get(name)?.stop();
      lines.delete(name);
    };
    const vain = () => this.#foundNobody(name);
    const freed = () => this.checkShared();
    const opened = new WaitingLine(line, source, { ...this.#parts, over, vain, freed });
    lines.set(name, opened);
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
