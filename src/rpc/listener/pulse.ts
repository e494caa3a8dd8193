import type { Timers } from '../../core/ports/clock.ts';

const AT_A_TIME = 64;

/** One timer for everybody who has to be looked after now and then; none while there is nobody. */
export class Pulse {
  readonly #timers: Timers;
  readonly #every_ms: number;
  readonly #beats = new Set<() => void>();
  #stop: (() => void) | null = null;

  constructor(timers: Timers, every_ms: number) {
    this.#timers = timers;
    this.#every_ms = every_ms;
  }

  /** Returns what takes it back. */
  add(beat: () => void): () => void {
    this.#beats.add(beat);
    this.#stop ??= this.#timers.after(this.#every_ms, () => this.#beat());
    return () => {
      this.#beats.delete(beat);
      if (this.#beats.size > 0) return;
      this.#stop?.();
      this.#stop = null;
    };
  }

  #beat(): void {
    this.#stop = this.#timers.after(this.#every_ms, () => this.#beat());
    this.#lookAfter([...this.#beats]);
  }

  /** Some at a time: thousands in one go would keep requests waiting. */
  #lookAfter(beats: readonly (() => void)[]): void {
    for (const beat of beats.slice(0, AT_A_TIME)) if (this.#beats.has(beat)) beat();
    if (beats.length > AT_A_TIME) this.#timers.soon(() => this.#lookAfter(beats.slice(AT_A_TIME)));
  }
}
