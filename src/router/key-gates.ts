import { Gate } from './gate.ts';
import type { Limits } from './settings.ts';
import { OwnTokens } from './tokens.ts';

/**
 * One gate for each key that is in use. Those that nobody could tell from new ones are forgotten; rates are
 * counted in this process, for there may be any number of them.
 */
export class KeyGates {
  readonly #gates = new Map<string, Gate>();
  readonly limits: Limits;
  /** The next look for gates that have become like new. */
  #sweepAt = 1000;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  get size(): number {
    return this.#gates.size;
  }

  find(key: string): Gate | null {
    return this.#gates.get(key) ?? null;
  }

  open(key: string, now: number): Gate {
    const found = this.#gates.get(key);
    if (found !== undefined) return found;
    if (this.#gates.size >= this.#sweepAt) this.#sweep(now);
    const { rate } = this.limits;
    const gate = new Gate(this.limits, rate === null ? null : new OwnTokens(rate, now));
    this.#gates.set(key, gate);
    return gate;
  }

  /** A call of this key has ended. */
  left(key: string, now: number): void {
    const gate = this.#gates.get(key);
    if (gate !== undefined && isLikeNew(gate, now)) this.#gates.delete(key);
  }

  #sweep(now: number): void {
    for (const [key, gate] of this.#gates) if (isLikeNew(gate, now)) this.#gates.delete(key);
    this.#sweepAt = Math.max(1000, this.#gates.size * 2);
  }
}

function isLikeNew(gate: Gate, now: number): boolean {
  return gate.inside === 0 && gate.keeps.count(now) === 0 && (gate.tokens?.isFull(now) ?? true);
}
