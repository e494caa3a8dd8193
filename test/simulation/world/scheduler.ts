import type { Dice } from './dice.ts';

type Item = { readonly at: number; readonly tie: number; readonly call: () => void; cancelled: boolean };

/** Steps handed to the event loop at a time: it drains all promises between two of them. */
const AHEAD = 64;

/** Virtual time. One thing happens at a time, and everything that follows from it at once has run before the next. */
export class Scheduler {
  readonly #dice: Dice;
  readonly #heap: Item[] = [];
  now = 0;
  steps = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** Calls after `ms` of virtual time; what falls on the same moment comes in an order left to chance. */
  after(ms: number, call: () => void): () => void {
    const item = { at: this.now + Math.max(0, ms), tie: this.#dice.next(), call, cancelled: false };
    this.#push(item);
    return () => {
      item.cancelled = true;
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Runs step by step until `over` says so or nothing is left to happen. */
  run(over: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let ended = false;
    let ahead = 0;
    const refill = () => {
      for (; ahead < AHEAD; ahead++) setImmediate(step);
    };
    const step = () => {
      ahead--;
      if (ended) return;
      try {
        ended = over() || !this.#step();
        if (ended) resolve();
        else if (ahead === 0) refill();
      } catch (thrown) {
        ended = true;
        reject(thrown);
      }
    };
    refill();
    return promise;
  }

  #step(): boolean {
    for (let item = this.#pop(); item !== undefined; item = this.#pop()) {
      if (item.cancelled) continue;
      this.now = item.at;
      this.steps++;
      item.call();
      return true;
    }
    return false;
  }

  #push(item: Item): void {
    const heap = this.#heap;
    let index = heap.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Item;
      if (!before(item, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = item;
  }

  #pop(): Item | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (let child = 1; child < heap.length; child = 2 * index + 1) {
      if (child + 1 < heap.length && before(heap[child + 1] as Item, heap[child] as Item)) child++;
      if (!before(heap[child] as Item, last)) break;
      heap[index] = heap[child] as Item;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function before(a: Item, b: Item): boolean {
  return a.at < b.at || (a.at === b.at && a.tie < b.tie);
}
