import type { Held } from './held.ts';

type Entry = { readonly held: Held; readonly at: number };

export type Starting = {
  readonly mayStart: (lane: string) => boolean;
  readonly isHeldBack: (held: Held) => boolean;
};

/** What was claimed and waits for a slot, in the order in which it came; whose lane may not start keeps nobody of another. */
export class Window {
  readonly #lanes = new Map<string, Entry[]>();
  #came = 0;

  get isEmpty(): boolean {
    return this.#lanes.size === 0;
  }

  add(held: Held): void {
    const { lane } = held.claimed.task;
    const entry = { held, at: this.#came++ };
    const entries = this.#lanes.get(lane);
    if (entries === undefined) this.#lanes.set(lane, [entry]);
    else entries.push(entry);
  }

  /** Takes out the first that may start. */
  next({ mayStart, isHeldBack }: Starting): Held | null {
    let first: Entry | null = null;
    for (const [lane, entries] of this.#lanes) {
      if (!mayStart(lane)) continue;
      const entry = entries.find(({ held }) => !isHeldBack(held));
      if (entry !== undefined && (first === null || entry.at < first.at)) first = entry;
    }
    if (first === null) return null;
    this.drop(first.held);
    return first.held;
  }

  drop(held: Held): void {
    const { lane } = held.claimed.task;
    const entries = this.#lanes.get(lane) ?? [];
    const at = entries.findIndex((entry) => entry.held === held);
    if (at === 0) entries.shift();
    else if (at > 0) entries.splice(at, 1);
    if (entries.length === 0) this.#lanes.delete(lane);
  }

  /** Takes out all of the lanes. */
  takeOut(which: (lane: string) => boolean): readonly Held[] {
    const lanes = [...this.#lanes].filter(([lane]) => which(lane));
    for (const [lane] of lanes) this.#lanes.delete(lane);
    return lanes.flatMap(([, entries]) => entries.map(({ held }) => held));
  }
}
