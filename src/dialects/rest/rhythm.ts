import type { Timers } from '../../core/ports/clock.ts';
import { pause } from '../mcp/pause.ts';

const GROWTH = 1.5;

type Pace = {
  readonly first: number;
  readonly longest: number;
  readonly signal: AbortSignal;
  readonly timers: Timers;
};

/** Less and less often, and never sooner than the service asks. */
export class Rhythm {
  readonly #pace: Pace;
  #wait: number;

  constructor(pace: Pace) {
    this.#pace = pace;
    this.#wait = pace.first;
  }

  async pause(asked_ms = 0): Promise<void> {
    const { longest, signal, timers } = this.#pace;
    const wait = this.#wait;
    this.#wait = Math.min(wait * GROWTH, longest);
    await pause(Math.max(wait, asked_ms), signal, timers);
  }
}
