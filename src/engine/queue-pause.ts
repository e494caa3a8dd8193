import type { Timers } from '../core/ports/clock.ts';
import type { StoreReads } from '../core/ports/store.ts';
import { isPaused, nothingPaused, type PausedQueues, pauseDocument, pausedIn } from '../core/queue-pause.ts';
import { UNREADABLE_MS } from './unreadable.ts';

export type QueuePauseParts = {
  readonly reads: Pick<StoreReads, 'document'>;
  readonly timers: Timers;
  /** Something was paused or may go on. */
  readonly changed: () => void;
};

/** Which protocols are paused, as far as this engine knows: it hears of it when it joins, and whenever it changes. */
export class QueuePause {
  readonly #parts: QueuePauseParts;
  #known = nothingPaused;
  #stopped = false;
  #cancelLook: () => void = () => {};

  constructor(parts: QueuePauseParts) {
    this.#parts = parts;
  }

  get known(): PausedQueues {
    return this.#known;
  }

  /** What was read before something newer was learned no longer counts. */
  learn(paused: PausedQueues): PausedQueues {
    if (paused.version <= this.#known.version) return this.#known;
    this.#known = paused;
    this.#parts.changed();
    return paused;
  }

  /** It may have been changed without our knowing: by another engine, or by a commit whose answer was lost. */
  async look(): Promise<void> {
    const { collection, key } = pauseDocument;
    try {
      this.learn(pausedIn(await this.#parts.reads.document(collection, key)));
    } catch {
      this.#cancelLook();
      if (!this.#stopped) this.#cancelLook = this.#parts.timers.after(UNREADABLE_MS, () => void this.look());
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelLook();
  }

  isPaused(lane: string): boolean {
    return isPaused(this.#known, lane);
  }

  /** The lanes that may be claimed from. */
  open(lanes: readonly string[]): readonly string[] {
    const { all, protocols } = this.#known;
    if (!all && protocols.length === 0) return lanes;
    return lanes.filter((lane) => !this.isPaused(lane));
  }
}
