import type { BrokerState } from './broker.ts';

/** Whether the broker can be reached, and who wants to know when that changes. */
export class Presence {
  readonly #listeners = new Set<(state: BrokerState) => void>();
  #state: BrokerState = 'up';

  get state(): BrokerState {
    return this.#state;
  }

  become(state: BrokerState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener(state);
  }

  on(listener: (state: BrokerState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
