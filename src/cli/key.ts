import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { GleitzeitError } from '../core/errors.ts';
import type { Invocation } from './spec.ts';

/** The key for the server: from the file, or from the variable. It is never printed. */
export function readKey({ flags, env, cwd, io }: Invocation): string | undefined {
  const named = flags.text('key-file');
  if (named === undefined) return nonEmpty(env['GLEITZEIT_KEY']);
  const file = resolve(cwd, named);
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      io.say(`${named} can be read by others than its owner: chmod 600 ${named}`);
    const key = nonEmpty(readFileSync(file, 'utf8').trim());
    if (key !== undefined) return key;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new GleitzeitError('GLZ1012', `the key in ${named} cannot be read`, { field: 'key-file', reason });
  }
  throw new GleitzeitError('GLZ1012', `${named} is empty`, { field: 'key-file' });
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}
