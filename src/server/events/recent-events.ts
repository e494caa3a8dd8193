import type { Told } from './told.ts';

/** The newest events, in a space of fixed size, so that most who follow never ask the store. */
export class RecentEvents {
  readonly #most: { readonly events: number; readonly characters: number };
  #events: Told[] = [];
  /** Events before this place have been let go; the list is cut now and then, not each time. */
  #first = 0;
  #characters = 0;
  #base: number;
  #head: number;

  /** `cursor`: the newest event before the first that will be added. */
  constructor(cursor: number, most: { readonly events: number; readonly characters: number }) {
    this.#base = cursor;
    this.#head = cursor;
    this.#most = most;
  }

  /** The newest event that was added. */
  get head(): number {
    return this.#head;
  }

  add(told: Told): void {
    this.#events.push(told);
    this.#characters += told.text.length;
    this.#head = told.cursor;
    while (
      this.#events.length - this.#first > this.#most.events ||
      this.#characters > this.#most.characters
    ) {
      this.#letGo();
    }
  }

  /** Whether everything after the cursor is here. */
  covers(cursor: number): boolean {
    return cursor >= this.#base;
  }

  /** The first event after the cursor. */
  after(cursor: number): Told | undefined {
    let low = this.#first;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.cursor ?? 0) > cursor) high = middle;
      else low = middle + 1;
    }
    return this.#events[low];
  }

  #letGo(): void {
    const oldest = this.#events[this.#first];
    if (oldest === undefined) return;
    this.#first++;
    this.#characters -= oldest.text.length;
    this.#base = oldest.cursor;
    if (this.#first * 2 < this.#events.length) return;
    this.#events = this.#events.slice(this.#first);
    this.#first = 0;
  }
}
