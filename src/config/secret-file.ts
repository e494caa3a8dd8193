import { stat } from 'node:fs/promises';
import { readBounded } from '../files/read.ts';
import { troubleOf } from './trouble.ts';

export type SecretFile =
  | { readonly value: string }
  /** Why nothing can be taken from it, and what helps. */
  | { readonly trouble: string; readonly hint: string | null };

const LARGEST = 64 * 1024;

/** A file holds one secret; the end of its line is none of it. */
export async function readSecretFile(file: string): Promise<SecretFile> {
  try {
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      return { trouble: 'can be read by others than its owner', hint: `chmod 600 ${file}` };
    const bytes = await readBounded(file, LARGEST);
    if (bytes.length > LARGEST) return { trouble: `is larger than ${LARGEST} bytes`, hint: null };
    const value = new TextDecoder().decode(bytes).replace(/\r?\n$/, '');
    return value === '' ? { trouble: 'is empty', hint: null } : { value };
  } catch (thrown) {
    return { trouble: `cannot be read: ${troubleOf(thrown)}`, hint: `is ${file} the right path?` };
  }
}
