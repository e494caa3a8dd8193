import { createHash } from 'node:crypto';
import type { Random } from '../../core/ports/random.ts';

/** A UUID that was never used before. */
export function newRequestId(random: Random): string {
  return uuidOf(random.bytes(16), 4);
}

/** The same UUID for the same words, in this process and in any other. */
export function idFrom(...words: readonly string[]): string {
  return uuidOf(createHash('sha256').update(JSON.stringify(words)).digest(), 8);
}

function uuidOf(bytes: Uint8Array, version: number): string {
  const hex = Buffer.from(bytes.subarray(0, 16)).toString('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `${version}${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}
