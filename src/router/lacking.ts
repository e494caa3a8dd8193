/** A service may get the method: after so long it is believed to have it, until it says otherwise. */
const BELIEVED_MS = 5 * 60_000;
/** What comes beyond is not remembered: it is only asked in vain. */
const MOST_METHODS = 256;

/** Methods that a provider has said it does not have. Times are those of the monotonic clock. */
export class Lacking {
  readonly #until = new Map<string, number>();

  has(method: string, now: number): boolean {
    return this.#until.size > 0 && (this.#until.get(method) ?? 0) > now;
  }

  said(method: string, now: number): void {
    if (this.#until.size < MOST_METHODS || this.#until.has(method))
      this.#until.set(method, now + BELIEVED_MS);
  }

  /** It has done what it was said to lack. */
  done(method: string): void {
    if (this.#until.size > 0) this.#until.delete(method);
  }

  forget(): void {
    this.#until.clear();
  }

  methods(now: number): readonly string[] {
    return [...this.#until].flatMap(([method, until]) => (until > now ? [method] : []));
  }
}
