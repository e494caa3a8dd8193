/** Something to be done that waits for its turn. Never rejects. */
export type Turn = () => Promise<void>;

type Lane = { running: number; readonly waiting: Turn[]; first: number };

/** Whatever is to be done for one name is done so much at a time; who is slow delays nobody of another name. */
export class Lanes {
  readonly #most: number;
  readonly #lanes = new Map<string, Lane>();
  #running = 0;
  #waiting = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** In the order in which they came. */
  join(name: string, turn: Turn): void {
    const lane = this.#lanes.get(name) ?? { running: 0, waiting: [], first: 0 };
    this.#lanes.set(name, lane);
    lane.waiting.push(turn);
    this.#waiting += 1;
    this.#next(name, lane);
  }

  #next(name: string, lane: Lane): void {
    while (lane.running < this.#most) {
      const turn = lane.waiting[lane.first];
      if (turn === undefined) break;
      lane.first += 1;
      this.#waiting -= 1;
      this.#running += 1;
      lane.running += 1;
      void turn().finally(() => {
        this.#running -= 1;
        lane.running -= 1;
        this.#next(name, lane);
      });
    }
    if (lane.first === lane.waiting.length) {
      lane.waiting.length = 0;
      lane.first = 0;
    }
    if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(name);
  }
}
