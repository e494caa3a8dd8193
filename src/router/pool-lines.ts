import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Line } from '../core/ports/router.ts';
import { type LineSource, WaitingLine } from './waiting-line.ts';

export type { LineSource } from './waiting-line.ts';

export type PoolLinesParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ring: (line: Line, places: number) => Promise<number>;
};

/** The lines of a pool. Those of keys may be many and are looked up; the others are few and looked through. */
export class PoolLines {
  readonly #parts: PoolLinesParts;
  readonly #shared = new Map<string, WaitingLine>();
  readonly #ofKeys = new Map<string, WaitingLine>();

  constructor(parts: PoolLinesParts) {
    this.#parts = parts;
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
    const opened = new WaitingLine(line, source, { ...this.#parts, over, freed: () => this.checkShared() });
    lines.set(name, opened);
    return opened;
  }

  checkKey(key: string): void {
    if (this.#ofKeys.size === 0) return;
    for (const kind of ['concurrency', 'rate'] as const) this.#ofKeys.get(nameOf({ kind, key }))?.check();
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

  stop(): void {
    for (const line of [...this.#shared.values(), ...this.#ofKeys.values()]) line.stop();
    this.#shared.clear();
    this.#ofKeys.clear();
  }
}

function nameOf({ kind, key }: Pick<Line, 'kind' | 'key'>): string {
  return `${kind} ${key}`;
}
