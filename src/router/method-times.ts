import { atLeast, type Latency, observed, usually } from '../core/pool/latency.ts';

/** More methods than a protocol has; calls of what comes beyond them count for all methods together. */
const MOST_METHODS = 256;

type Times = { readonly latency: Latency; readonly usual_ms: number | null };

export type HeardTime = {
  readonly ms: number;
  /** Otherwise it only took at least so long. */
  readonly answered: boolean;
};

/** How long a provider takes, by method: one that is quick at one thing may be slow at another. */
export class MethodTimes {
  readonly #byMethod = new Map<string, Times>();
  #overall: Latency | null = null;

  of(method: string): Latency | null {
    return this.#byMethod.get(method)?.latency ?? null;
  }

  get overall(): Latency | null {
    return this.#overall;
  }

  /** How long answers take in the long run; null before the first. */
  usual(method: string): number | null {
    return this.#byMethod.get(method)?.usual_ms ?? null;
  }

  heard(method: string, { ms, answered }: HeardTime, now: number): void {
    const learn = answered ? observed : atLeast;
    const before = this.#byMethod.get(method);
    this.#overall = learn(this.#overall, ms, now);
    if (before === undefined && this.#byMethod.size >= MOST_METHODS) return;
    const usual = before?.usual_ms ?? null;
    this.#byMethod.set(method, {
      latency: learn(before?.latency ?? null, ms, now),
      usual_ms: answered ? usually(usual, ms) : usual,
    });
  }
}
