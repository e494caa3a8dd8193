import { isSameRate, type RateLimit } from '../core/pool/bucket.ts';
import { type Counted, Gate } from './gate.ts';
import type { Places } from './places.ts';
import type { Limits } from './settings.ts';
import { OwnTokens, type Tokens } from './tokens.ts';

/** Where the limits of a key are counted: in this process, unless others take of them too. */
export type KeyCounting = {
  readonly tokens?: ((key: string, limit: RateLimit) => Tokens) | undefined;
  readonly places?: ((key: string, most: number, used: (now: number) => number) => Places | null) | undefined;
};

/** One gate for each key that is in use. Those that nobody could tell from new ones are forgotten. */
export class KeyGates {
  readonly #gates = new Map<string, Gate>();
  #limits: Limits;
  #counting: KeyCounting;
  /** The next look for gates that have become like new. */
  #sweepAt = 1000;

  constructor(limits: Limits, counting: KeyCounting = {}) {
    this.#limits = limits;
    this.#counting = counting;
  }

  get size(): number {
    return this.#gates.size;
  }

  open(key: string, now: number): Gate {
    const found = this.#gates.get(key);
    if (found !== undefined) return found;
    if (this.#gates.size >= this.#sweepAt) this.#sweep(now);
    const gate = new Gate(this.#limits, this.#counted(key, now));
    this.#gates.set(key, gate);
    return gate;
  }

  /** Other limits for the same keys: those inside count on. */
  adjust(limits: Limits, { counting, now }: { counting: KeyCounting; now: number }): void {
    const same = isSameRate(limits.rate, this.#limits.rate);
    this.#limits = limits;
    this.#counting = counting;
    for (const [key, gate] of this.#gates) {
      const { tokens, places } = this.#counted(key, now);
      this.#gates.set(key, gate.with(limits, { tokens: same ? gate.tokens : tokens, places }));
    }
  }

  /** Other keys count from now on, or none. */
  drop(): void {
    for (const gate of this.#gates.values()) gate.drop();
  }

  /** A call of this key has ended. */
  left(key: string, now: number): void {
    const gate = this.#gates.get(key);
    if (gate?.isLikeNew(now) === true) this.#forget(key, gate);
  }

  #sweep(now: number): void {
    for (const [key, gate] of this.#gates) if (gate.isLikeNew(now)) this.#forget(key, gate);
    this.#sweepAt = Math.max(1000, this.#gates.size * 2);
  }

  #forget(key: string, gate: Gate): void {
    this.#gates.delete(key);
    gate.drop();
  }

  #counted(key: string, now: number): Counted {
    return {
      tokens: this.#tokens(key, now),
      places: (most, used) => this.#counting.places?.(key, most, used) ?? null,
    };
  }

  #tokens(key: string, now: number): Tokens | null {
    const { rate } = this.#limits;
    if (rate === null) return null;
    return this.#counting.tokens?.(key, rate) ?? new OwnTokens(rate, now);
  }
}
