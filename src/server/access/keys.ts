import { createHash, timingSafeEqual } from 'node:crypto';
import type { Role } from '../../api/roles.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { Random } from '../../core/ports/random.ts';
import type { Caller } from '../../rpc/listener/route.ts';

/** A key as the configuration knows it: never the key itself. */
export type KeyEntry = {
  readonly name: string;
  readonly role: Role;
  /** SHA-256 of the key, in hex. */
  readonly hash: string;
};

const SECRET_BYTES = 32;
const keyName = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,62}[A-Za-z0-9])?$/;
const hashText = /^[0-9a-f]{64}$/;

/** A new key, to be shown once, and what the configuration keeps of it. */
export function createKey(name: string, role: Role, random: Random): { key: string; entry: KeyEntry } {
  if (!keyName.test(name)) {
    const reason =
      'may hold up to 64 letters, digits, dots and hyphens, and begins and ends with a letter or digit';
    throw new GleitzeitError('GLZ1012', `the name of a key ${reason}`, { field: 'name', reason });
  }
  const key = `glz_${name}_${Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url')}`;
  return { key, entry: { name, role, hash: hashKey(key) } };
}

/** The key is random and long, so a plain hash is enough: there is nothing to guess that a slow one would slow down. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Finds out whose key it is. Every entry is compared in full, so that the time tells nothing. */
export function keyReader(entries: readonly KeyEntry[]): (key: string) => Caller | null {
  const known = entries.map((entry) => ({ ...entry, bytes: readHash(entry) }));
  return (key) => {
    const given = createHash('sha256').update(key).digest();
    let caller: Caller | null = null;
    for (const { name, role, bytes } of known) if (timingSafeEqual(bytes, given)) caller = { name, role };
    return caller;
  };
}

function readHash({ name, hash }: KeyEntry): Buffer {
  if (hashText.test(hash)) return Buffer.from(hash, 'hex');
  throw new GleitzeitError('GLZ1012', `the hash of the key "${name}" is no SHA-256 in hex`, {
    field: 'server.keys',
    hint: 'gleitzeit token create prints the entry for the configuration beside the key',
  });
}
