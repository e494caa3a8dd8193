import { earned, fullBudget, type HedgePolicy, hedgeDelay, spent } from '../core/pool/hedge.ts';
import { Latencies } from './latencies.ts';

/** After so many further calls it is looked again how long most of them take: that means sorting. */
const LOOK_EVERY = 32;
const KNOWN = 256;

type Known = { readonly latencies: Latencies; calls: number; p95_ms: number | null };

/** What a pool knows for its further calls: how long most calls of a method take, and how many more there may be. */
export class Hedging {
  readonly #known = new Map<string, Known>();
  #budget = fullBudget;

  /** A call of the method begins: how long to wait for its answer, or null for as long as it takes. */
  begin(policy: HedgePolicy, method: string): number | null {
    this.#budget = earned(this.#budget);
    return hedgeDelay(policy, this.#known.get(method) ?? { calls: 0, p95_ms: null });
  }

  /** False where there have been too many already. */
  get mayMore(): boolean {
    return spent(this.#budget) !== null;
  }

  /** One more is made, which there may be. */
  spend(): void {
    this.#budget = spent(this.#budget) ?? this.#budget;
  }

  /** A call took so long, or at least so long. */
  heard(method: string, ms: number): void {
    const known = this.#known.get(method) ?? { latencies: new Latencies(KNOWN), calls: 0, p95_ms: null };
    known.latencies.add(ms);
    if (known.calls++ % LOOK_EVERY === 0 || known.calls < LOOK_EVERY)
      known.p95_ms = known.latencies.quantile(0.95);
    this.#known.set(method, known);
  }
}
