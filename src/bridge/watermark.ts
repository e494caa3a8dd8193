/** One message that was handed out. */
export type Handed = { readonly offset: number; done: boolean };

/**
 * How far a partition is done: messages are handed out in order, end in any order, and what is told to the broker is
 * the place up to which all of them have ended.
 */
export class Watermark {
  #handed: Handed[] = [];
  #first = 0;
  #next: number;
  #open = 0;

  /** `next` is where the group goes on. */
  constructor(next: number) {
    this.#next = next;
  }

  /** The first offset that is not done: where another member would go on. */
  get next(): number {
    return this.#next;
  }

  /** Handed out and not done. */
  get open(): number {
    return this.#open;
  }

  /** Handed out since the first that is not done: so many would come again if this member died now. */
  get ahead(): number {
    return this.#handed.length - this.#first;
  }

  hand(offset: number): Handed {
    const handed = { offset, done: false };
    this.#handed.push(handed);
    this.#open += 1;
    return handed;
  }

  /** True where it had not been done before. */
  done(handed: Handed): boolean {
    if (handed.done) return false;
    handed.done = true;
    this.#open -= 1;
    for (let first = this.#handed[this.#first]; first?.done; first = this.#handed[this.#first]) {
      this.#next = first.offset + 1;
      this.#first += 1;
    }
    if (this.#first > ROOM && this.#first * 2 > this.#handed.length) {
      this.#handed = this.#handed.slice(this.#first);
      this.#first = 0;
    }
    return true;
  }
}

/** So many that are done are kept at least before the list is made shorter. */
const ROOM = 1024;
