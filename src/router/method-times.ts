import { atLeast, ended, type Failing, type Latency, observed, usually } from '../core/pool/latency.ts';

/** More methods than a protocol has; calls of what comes beyond them count for all methods together. */
const MOST_METHODS = 256;

type Times = {
  readonly latency: Latency | null;
  readonly usual_ms: number | null;
  readonly failing: Failing | null;
};

const nothing: Times = { latency: null, usual_ms: null, failing: null };

export type HeardTime = {
  readonly ms: number;
  /** Otherwise it only took at least so long. */
  readonly answered: boolean;
};

/** How long a provider takes and how often it fails, by method: one that is quick at one thing may be slow at another. */
export class MethodTimes {
  readonly #byMethod = new Map<string, Times>();
  readonly #underWay = new Map<string, number>();
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

  /** Which share of its calls fails; null before the first that did. */
  failing(method: string): Failing | null {
    return this.#byMethod.get(method)?.failing ?? null;
  }

  /** Whether a call of it has ended. Of what comes beyond the methods that are remembered nothing is ever learnt: that counts as tried. */
  tried(method: string): boolean {
    return this.#byMethod.has(method) || this.#byMethod.size >= MOST_METHODS;
  }

  underWay(method: string): number {
    return this.#underWay.get(method) ?? 0;
  }

  begun(method: string): void {
    this.#underWay.set(method, this.underWay(method) + 1);
  }

  over(method: string): void {
    const left = this.underWay(method) - 1;
    if (left > 0) this.#underWay.set(method, left);
    else this.#underWay.delete(method);
  }

  heard(method: string, { ms, answered }: HeardTime, now: number): void {
    const learn = answered ? observed : atLeast;
    this.#overall = learn(this.#overall, ms, now);
    this.#change(method, ({ latency, usual_ms }) => ({
      latency: learn(latency, ms, now),
      usual_ms: answered ? usually(usual_ms, ms) : usual_ms,
    }));
  }

  /** Of whoever never failed nothing is written down but that it was tried. */
  ended(method: string, failed: boolean, now: number): void {
    if (failed || this.failing(method) !== null)
      this.#change(method, ({ failing }) => ({ failing: ended(failing, failed, now) }));
    else if (!this.tried(method)) this.#change(method, () => nothing);
  }

  #change(method: string, change: (before: Times) => Partial<Times>): void {
    const before = this.#byMethod.get(method);
    if (before === undefined && this.#byMethod.size >= MOST_METHODS) return;
    const times = before ?? nothing;
    this.#byMethod.set(method, { ...times, ...change(times) });
  }
}
