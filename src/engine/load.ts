import { CLAIM_BUDGET, type ClaimedTask } from '../core/ports/store.ts';

/** An engine that holds so many characters of payloads claims no more until some of them are let go. */
const MOST_CHARACTERS = 4 * CLAIM_BUDGET;

/** How fast claims become larger again after one brought more than an engine could take, until it is forgotten. */
const GROWTH = 1 / 8;
const LARGE_AGAIN = 1024;

type Shared = { readonly text: string; users: number };

/**
 * What the payloads of the held tasks weigh, and how many tasks to ask for because of it (invariant 6). The input of a
 * run is kept once, however many of its tasks are held.
 */
export class Load {
  readonly #inputs = new Map<string, Shared>();
  #characters = 0;
  #most = Number.POSITIVE_INFINITY;

  /** How many tasks to claim at most. */
  get room(): number {
    return this.#characters < MOST_CHARACTERS ? this.#most : 0;
  }

  /** Whether claims are small because of what the last ones brought: then one that is filled may be followed by another. */
  get heavy(): boolean {
    return this.#most < Number.POSITIVE_INFINITY;
  }

  /**
   * Which of the claimed tasks to keep: those that came with their payloads. What came without is left to a smaller
   * claim, but for the first, which may be too large for any.
   */
  choose(claimed: readonly ClaimedTask[]): {
    readonly keep: readonly ClaimedTask[];
    readonly rest: readonly ClaimedTask[];
  } {
    const isKept = ({ payloads }: ClaimedTask, index: number) => payloads !== null || index === 0;
    if (claimed.every(isKept)) {
      if (claimed.length > 0) this.#grow();
      return { keep: claimed, rest: [] };
    }
    const keep = claimed.filter(isKept);
    this.#most = keep.length;
    return { keep, rest: claimed.filter((one, index) => !isKept(one, index)) };
  }

  #grow(): void {
    const more = this.#most + Math.ceil(this.#most * GROWTH);
    this.#most = more < LARGE_AGAIN ? more : Number.POSITIVE_INFINITY;
  }

  /** Counts what a task brings; answers the task as it is to be held. */
  add(claimed: ClaimedTask): ClaimedTask {
    this.#characters += weightOf(claimed);
    const { payloads } = claimed;
    if (payloads === null || payloads.run_input === null) return claimed;
    const { text: run_input } = this.#share(payloads.run_input);
    return { ...claimed, payloads: { ...payloads, run_input } };
  }

  drop(claimed: ClaimedTask): void {
    this.#characters -= weightOf(claimed);
    const text = claimed.payloads?.run_input ?? null;
    const shared = text === null ? undefined : this.#inputs.get(text);
    if (shared === undefined || --shared.users > 0) return;
    this.#inputs.delete(shared.text);
    this.#characters -= shared.text.length;
  }

  #share(text: string): Shared {
    const known = this.#inputs.get(text);
    if (known !== undefined) {
      known.users++;
      return known;
    }
    const shared = { text, users: 1 };
    this.#inputs.set(text, shared);
    this.#characters += text.length;
    return shared;
  }
}

/** Without the input of its run. What no claim carries is read when its call is made, and is at least so much. */
function weightOf({ payloads }: ClaimedTask): number {
  if (payloads === null) return CLAIM_BUDGET;
  let weight = payloads.params.length;
  for (const id in payloads.inputs) weight += payloads.inputs[id]?.result?.length ?? 0;
  return weight;
}
