/**
 * Remembers what was put in last, within bounds. Two maps take turns: when the young one is full it becomes the old
 * one, and what was in that is forgotten at once. Deleting the oldest entry each time would cost a walk over the
 * traces of all those deleted before.
 */
export class Recent<Value> {
  readonly #most: number;
  readonly #mostCharacters: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  #characters = 0;

  /** Holds at least half of `most` entries, and at most all of them; the same for `characters`. */
  constructor(bounds: { most: number; characters: number }) {
    this.#most = bounds.most / 2;
    this.#mostCharacters = bounds.characters / 2;
  }

  get(key: string): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: string, value: Value, characters = 0): void {
    // Larger than there is room for: it is not worth forgetting everything else.
    if (characters > this.#mostCharacters) {
      this.delete(key);
      return;
    }
    if (this.#young.size >= this.#most || this.#characters + characters > this.#mostCharacters) this.#turn();
    this.#young.set(key, value);
    this.#characters += characters;
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#turn();
    this.#turn();
  }

  #turn(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#characters = 0;
  }
}
