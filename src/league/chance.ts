import { createHash } from 'node:crypto';
import type { Random } from '../core/ports/random.ts';

/**
 * Chance that follows from what it is named by: the same league, match and step draw the same numbers, whoever draws them and
 * in whatever order. A match that is played again after a crash goes as it went before, if its players do what they did.
 */
export function chanceOf(...names: readonly (string | number)[]): Random {
  const digest = createHash('sha256').update(JSON.stringify(names)).digest();
  let state = digest.readInt32LE(0);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)) };
}
