import { LanePlaces } from './lane-places.ts';

/** Running, waiting for a slot, and on the way to the store: each up to the number of slots. */
const HELD_PER_SLOT = 3;

export type RoomParts = {
  readonly concurrency: number;
  /** Commits that may claim before the first is answered: each asks for its share of what there is room for. */
  readonly claimsAtOnce: number;
};

/** How much an engine may hold and run, and what of it lanes may have. */
export class Room {
  readonly #claimsAtOnce: number;
  readonly #slots: LanePlaces;
  readonly #places: LanePlaces;
  /** How many lanes there are to claim of. */
  #lanes = 0;
  /** What commits under way may still bring. */
  #asked = 0;
  #keptBack = false;

  constructor({ concurrency, claimsAtOnce }: RoomParts) {
    this.#claimsAtOnce = claimsAtOnce;
    this.#slots = new LanePlaces(concurrency);
    this.#places = new LanePlaces(concurrency * HELD_PER_SLOT);
  }

  /** How many more tasks could be held. */
  get left(): number {
    return this.#places.free - this.#asked;
  }

  get freeSlots(): number {
    return this.#slots.free;
  }

  /** Of some lane there may be more than its share. */
  get keptBack(): boolean {
    return this.#keptBack;
  }

  /** Never all that is left, where there are several lanes: what one claim takes of two may be more than both should have. */
  limit(lanes: number): number {
    this.#lanes = lanes;
    return Math.ceil(this.left / Math.max(this.#claimsAtOnce, lanes > 1 ? 2 : 1));
  }

  /** How many of each lane a claim with that limit may ask for. */
  shares(limit: number): (lane: string) => number {
    this.#keptBack = false;
    return (lane) => {
      const share = this.#places.share(lane, { lanes: this.#lanes, asked: this.#asked });
      if (share < limit) this.#keptBack = true;
      return share;
    };
  }

  ask(limit: number): void {
    this.#asked += limit;
  }

  answered(limit: number): void {
    this.#asked -= limit;
  }

  hold(lane: string): void {
    this.#places.take(lane);
  }

  letGo(lane: string): void {
    this.#places.leave(lane);
  }

  readonly mayStart = (lane: string): boolean => this.#slots.share(lane, { lanes: this.#lanes }) > 0;

  start(lane: string): void {
    this.#slots.take(lane);
  }

  end(lane: string): void {
    this.#slots.leave(lane);
  }
}
