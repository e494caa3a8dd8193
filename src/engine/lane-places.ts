import { shareOf } from '../core/shares.ts';

type Asking = {
  /** How many lanes are served. */
  readonly lanes: number;
  /** Places that are free, and are asked for already. */
  readonly asked?: number;
};

/** Places that lanes share, and how many of them each holds: one whose calls hang does not come to all. */
export class LanePlaces {
  readonly #size: number;
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get free(): number {
    return this.#size - this.#taken;
  }

  take(lane: string): void {
    this.#taken++;
    this.#held.set(lane, (this.#held.get(lane) ?? 0) + 1);
  }

  leave(lane: string): void {
    this.#taken--;
    const left = (this.#held.get(lane) ?? 0) - 1;
    if (left > 0) this.#held.set(lane, left);
    else this.#held.delete(lane);
  }

  /** How many more a lane may take now. */
  share(lane: string, { lanes, asked = 0 }: Asking): number {
    const held = this.#held.get(lane) ?? 0;
    const idle = Math.max(0, lanes - this.#held.size - (held === 0 ? 1 : 0));
    return shareOf(held, { size: this.#size, free: this.free - asked, idle, others: lanes - 1 });
  }
}
