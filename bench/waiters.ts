/** Promises by key, resolved from wherever a system reports the key. */
export class Waiters<T> {
  readonly #waiting = new Map<string, (value: T) => void>();

  wait(key: string): Promise<T> {
    return new Promise((resolve) => this.#waiting.set(key, resolve));
  }

  settle(key: string, value: T): void {
    this.#waiting.get(key)?.(value);
    this.#waiting.delete(key);
  }
}

/** Resolves `reached` when `tick` has been called as often as asked. */
export class Countdown {
  readonly reached: Promise<void>;
  readonly #resolve: () => void;
  #left: number;

  constructor(count: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.reached = promise;
    this.#resolve = resolve;
    this.#left = count;
  }

  tick(): void {
    this.#left -= 1;
    if (this.#left === 0) this.#resolve();
  }
}

/** Milliseconds from now until `starts` hears of the key that `submit` brings in. */
export async function untilStart(
  starts: Waiters<number>,
  key: string,
  submit: () => Promise<unknown>,
): Promise<number> {
  const start = starts.wait(key);
  const before = performance.now();
  const [, at] = await Promise.all([submit(), start]);
  return at - before;
}
