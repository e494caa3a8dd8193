import { CLAIM_BUDGET } from './ports/store.ts';

/** How much a claim carries. Once a task does not fit, none does: what is left goes to whoever asks next. */
export class ClaimLoad {
  #left = CLAIM_BUDGET;
  readonly #runs = new Set<string>();

  /** Characters that still fit; none when the claim carries enough. */
  get left(): number {
    return this.#left;
  }

  /** Whether the payloads of a task go with the claim: its own, and the input of its run, which is sent once for all. */
  takes(own: number, run: { readonly workflow_id: string; readonly input: number } | null): boolean {
    const shared = run === null || this.#runs.has(run.workflow_id) ? 0 : run.input;
    if (own + shared > this.#left) return this.close();
    this.#left -= own + shared;
    if (run !== null) this.#runs.add(run.workflow_id);
    return true;
  }

  close(): false {
    this.#left = 0;
    return false;
  }
}
