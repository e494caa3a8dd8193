import { Keeps } from './keeps.ts';
import type { Limits } from './settings.ts';
import type { Tokens } from './tokens.ts';

export type GateKind = 'concurrency' | 'rate';

/** Lets calls in by how many are inside, and by how many came lately. Both have to allow a call. */
export class Gate {
  readonly tokens: Tokens | null;
  readonly keeps: Keeps;
  /** Null for no limit. */
  readonly concurrency: number | null;
  readonly #inside: { count: number };

  constructor(
    { concurrency }: Pick<Limits, 'concurrency'>,
    tokens: Tokens | null,
    before: { keeps: Keeps; inside: { count: number } } = { keeps: new Keeps(), inside: { count: 0 } },
  ) {
    this.concurrency = concurrency;
    this.tokens = tokens;
    this.keeps = before.keeps;
    this.#inside = before.inside;
  }

  /** Other limits for the same calls: those inside count on, and leave by whichever they came in. */
  with(limits: Pick<Limits, 'concurrency'>, tokens: Tokens | null): Gate {
    return new Gate(limits, tokens, { keeps: this.keeps, inside: this.#inside });
  }

  get inside(): number {
    return this.#inside.count;
  }

  /** How many may come in now. Whoever was called may also take what is kept. */
  free(now: number, called: boolean): number {
    const places = this.concurrency === null ? Number.POSITIVE_INFINITY : this.concurrency - this.inside;
    const tokens = this.tokens === null ? Number.POSITIVE_INFINITY : this.tokens.free(now);
    return Math.min(places, tokens) - (called ? 0 : this.keeps.count(now));
  }

  /** What it is that lets nobody in. */
  blocks(now: number): GateKind {
    if (this.tokens === null) return 'concurrency';
    const taken = this.inside + this.keeps.count(now);
    return this.concurrency !== null && taken >= this.concurrency ? 'concurrency' : 'rate';
  }

  /** When more may come in by the passing of time alone, or null. */
  nextAt(now: number): number | null {
    const due = this.tokens?.nextAt(now) ?? null;
    const until = this.keeps.count(now) === 0 ? null : this.keeps.until;
    if (due === null || until === null) return due ?? until;
    return Math.min(due, until);
  }

  /** Returns whether a place had been kept where one was called. */
  enter(now: number, called: boolean): boolean {
    this.#inside.count++;
    this.tokens?.take(now);
    return called && this.keeps.use(now);
  }

  leave(): void {
    this.#inside.count--;
  }
}
