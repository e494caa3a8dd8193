/** How it ends: without a word, or with an error. */
export type End = { readonly error: unknown } | 'quiet';

type Result<Value> = IteratorResult<Value, undefined>;

/** From one who puts to one who takes, in order. What was put and not taken yet is held; its bound is for others to keep. */
export class Handover<Value> {
  readonly #held: Value[] = [];
  readonly #takers: PromiseWithResolvers<Result<Value>>[] = [];
  #end: End | null = null;

  get held(): number {
    return this.#held.length;
  }

  get isOver(): boolean {
    return this.#end !== null;
  }

  put(value: Value): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#held.push(value);
    else taker.resolve({ done: false, value });
  }

  take(): Promise<Result<Value>> {
    const value = this.#held.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    const taker = Promise.withResolvers<Result<Value>>();
    this.#takers.push(taker);
    this.#tellEnd();
    return taker.promise;
  }

  /** An error comes after what was put before it, and once: whoever asks again hears that there is nothing more. */
  finish(end: End): void {
    this.#end ??= end;
    this.#tellEnd();
  }

  drop(): void {
    this.#held.length = 0;
  }

  #tellEnd(): void {
    if (this.#end === null) return;
    for (const taker of this.#takers.splice(0)) {
      if (this.#end === 'quiet') taker.resolve({ done: true, value: undefined });
      else taker.reject(this.#end.error);
      this.#end = 'quiet';
    }
  }
}
