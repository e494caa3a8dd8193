import { systemClock } from '../embedded/system.ts';

/** What was opened, to be closed in the opposite order. */
export class Opened {
  readonly #closing: ((deadline_ms: number) => Promise<void> | void)[] = [];
  #closed: Promise<void> | null = null;

  add(close: (deadline_ms: number) => Promise<void> | void): void {
    this.#closing.unshift(close);
  }

  close(deadline_ms: number): Promise<void> {
    this.#closed ??= this.#closeAll(deadline_ms);
    return this.#closed;
  }

  /** One that fails to close is no reason to leave the others open; the first trouble is told at the end. */
  async #closeAll(deadline_ms: number): Promise<void> {
    const until = systemClock.monotonic() + deadline_ms;
    const troubles: unknown[] = [];
    for (const close of this.#closing) {
      try {
        await close(Math.max(0, until - systemClock.monotonic()));
      } catch (thrown) {
        troubles.push(thrown);
      }
    }
    if (troubles.length > 0) throw troubles[0];
  }
}
