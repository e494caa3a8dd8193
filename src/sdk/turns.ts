import { settleUnder } from './limited.ts';

/** So many at a time; the others wait for their turn. */
export class Turns {
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async take<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    if (this.#taken < this.#most) this.#taken++;
    else await this.#handedOn(signal);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#taken--;
      else next();
    }
  }

  #handedOn(signal: AbortSignal): Promise<void> {
    return settleUnder<void>(signal, (resolve) => {
      this.#waiting.add(resolve);
      return () => this.#waiting.delete(resolve);
    });
  }
}
