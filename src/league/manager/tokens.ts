import { hash, timingSafeEqual } from 'node:crypto';
import type { Cipher } from '../../core/ports/cipher.ts';
import type { Random } from '../../core/ports/random.ts';

/** What the store has of a token: its hash, to check it by, and itself sealed, for an answer that was lost on its way. */
export type KeptToken = { readonly hash: string; readonly sealed: string };

const BYTES = 32;

export function issueToken(
  cipher: Cipher,
  random: Random,
): { readonly token: string; readonly kept: KeptToken } {
  const token = Buffer.from(random.bytes(BYTES)).toString('base64url');
  return { token, kept: { hash: tokenHash(token), sealed: cipher.seal(token) } };
}

export function tokenHash(token: string): string {
  return hash('sha256', `league token ${token}`, 'hex');
}

/** Takes as long whatever is wrong, also where there is no token to compare with. */
export function isToken(said: string, kept: string | null): boolean {
  const one = Buffer.from(tokenHash(said), 'hex');
  const other = Buffer.from(kept ?? '0'.repeat(64), 'hex');
  return timingSafeEqual(one, other) && kept !== null;
}

/** What a referee shows the players of a match instead of its own token: the same whoever judges it in the end. */
export function matchToken(cipher: Cipher, league_id: string, match_id: string): string {
  return cipher.mark(`league ${league_id} match ${match_id}`);
}
