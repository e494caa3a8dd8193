/** A secret that was changed may still come back in an answer; so many old ones are remembered. */
const REMEMBERED = 16;

/** The last texts that were told to a service in confidence. */
export class Remembered {
  readonly #values = new Set<string>();

  add(value: string): void {
    if (this.#values.has(value)) return;
    this.#values.add(value);
    const [oldest] = this.#values;
    if (this.#values.size > REMEMBERED && oldest !== undefined) this.#values.delete(oldest);
  }

  values(): readonly string[] {
    return [...this.#values];
  }
}
