/** Chance, handed in, so that a seed replays exactly. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  bytes(count: number): Uint8Array;
}
