import { isSameRate } from '../core/pool/bucket.ts';
import type { Counting } from './counting.ts';
import { type Counted, Gate } from './gate.ts';
import type { Limits } from './settings.ts';
import type { Tokens } from './tokens.ts';

/** The limits of a provider, which may be those of others too: of the same service as a member of other pools. */
export class MemberGate {
  readonly #name: string;
  readonly #counting: Counting;
  #gate: Gate;
  /** How many come in by it, and whether there were ever several. */
  #members = 1;
  #isShared = false;

  constructor(id: string, limits: Limits, counting: Counting) {
    this.#name = `provider ${id}`;
    this.#counting = counting;
    this.#gate = new Gate(limits, this.#counted(limits, null));
  }

  get gate(): Gate {
    return this.#gate;
  }

  /** Other limits: calls inside count for them too. */
  limit(limits: Limits): void {
    this.#gate = this.#gate.with(limits, this.#counted(limits, this.#gate.tokens));
  }

  /** Another one comes in by it from now on. */
  share(limits: Limits): this {
    this.#members++;
    this.#isShared = true;
    this.limit(limits);
    return this;
  }

  /** One of them is gone; calls that are inside still leave by it. */
  drop(): void {
    this.#members--;
    if (this.#members === 0) this.#gate.drop();
  }

  /** What counts a rate that is the same counts on. */
  #counted({ rate }: Limits, before: Tokens | null): Counted {
    const { tokens, places, more } = this.#counting;
    const same = isSameRate(rate, before?.limit ?? null);
    return {
      tokens: same ? before : rate === null ? null : tokens(this.#name, rate),
      places: (most, used) => places(this.#name, most, used),
      freed: this.#isShared ? more : undefined,
    };
  }
}
