/** Enough of a refused message to find its id in. */
const HEAD = 4096;

/**
 * The bytes of one message as they come in pieces, up to a bound; past it only the beginning is kept. Put together
 * once, when the message is whole: a large one that arrives in small pieces costs no more than its size.
 */
export class Gathering {
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  get tooLarge(): boolean {
    return this.#length > this.#limit;
  }

  add(piece: Uint8Array): void {
    const fits = !this.tooLarge;
    this.#length += piece.length;
    if (fits) this.#pieces.push(piece);
    if (fits && this.tooLarge) this.#pieces = [Buffer.concat(this.#pieces).subarray(0, HEAD)];
  }

  /** What was gathered, and an empty gathering. */
  take(): Uint8Array {
    const [first] = this.#pieces;
    const whole = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    return whole;
  }
}
