import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { GleitzeitError } from '../core/errors.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import { hashText } from './hash.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** So many are drawn at once: asking the system for each costs more than sealing. */
const IVS_AT_ONCE = 256;

type Key = { readonly bytes: Buffer; readonly id: string };

/**
 * Seals with the first key and opens with any of them, so that a key can be replaced: put the new one in front, and
 * keep the old one until what it sealed is gone. `keys` is asked for when there is a first secret, not before.
 */
export function createCipher(keys: () => readonly Buffer[]): Cipher {
  let ring: readonly Key[] | null = null;
  const all = () => {
    ring ??= keys().map((bytes) => ({ bytes, id: keyId(bytes) }));
    return ring;
  };
  const current = () => {
    const [key] = all();
    if (key === undefined) throw unreadable('there is no key to seal secrets with');
    return key;
  };
  // What was marked before a key was replaced must be recognised after it.
  const oldest = () => all().at(-1) ?? current();
  const nextIv = ivs();
  return {
    seal: (text) => seal(current(), nextIv(), text),
    open: (sealed) => {
      const id = sealed.split('.')[1];
      const key = all().find((candidate) => candidate.id === id);
      if (key === undefined) throw unreadable('it was sealed with a key that is not there');
      return open(key, sealed);
    },
    isCurrent: (sealed) => sealed.split('.')[1] === current().id,
    mark: (text) => createHmac('sha256', oldest().bytes).update(text).digest('base64url'),
  };
}

/** Each is handed out once: the same one twice with the same key would give both secrets away. */
function ivs(): () => Buffer {
  let drawn = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used === drawn.length) {
      drawn = randomBytes(IV_BYTES * IVS_AT_ONCE);
      used = 0;
    }
    used += IV_BYTES;
    return drawn.subarray(used - IV_BYTES, used);
  };
}

/** A key as it is written down: 32 bytes in base64. */
export function parseKey(text: string, where: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new GleitzeitError('GLZ3010', `${where} holds no usable key`, {
    reason: `expected ${KEY_BYTES} bytes in base64, found ${key.length}`,
    hint: 'make one with: openssl rand -base64 32',
  });
}

export function newKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

function seal({ bytes, id }: Key, iv: Buffer, text: string): string {
  const cipher = createCipheriv(ALGORITHM, bytes, iv);
  const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `v1.${id}.${sealed.toString('base64url')}`;
}

function open({ bytes }: Key, text: string): string {
  const [version, , encoded = ''] = text.split('.');
  const sealed = Buffer.from(encoded, 'base64url');
  if (version !== 'v1' || sealed.length < IV_BYTES + TAG_BYTES)
    throw unreadable('it is not in a form this version knows');
  try {
    const decipher = createDecipheriv(ALGORITHM, bytes, sealed.subarray(0, IV_BYTES));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const opened = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    return opened.toString('utf8');
  } catch {
    throw unreadable('it was changed after it was sealed');
  }
}

/** Tells keys apart without telling anything about them. */
function keyId(key: Buffer): string {
  return hashText(key.toString('base64')).slice(0, 8);
}

function unreadable(reason: string): GleitzeitError {
  return new GleitzeitError('GLZ3010', `a secret cannot be read: ${reason}`, {
    reason,
    hint: 'start with the key the store was written with (GLEITZEIT_SECRET_KEY or the key file beside the store)',
  });
}
