import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { GleitzeitError } from '../core/errors.ts';
import type { Invocation } from './spec.ts';

/** The key for the server: from the file, or from the variable. It is never printed. */
export function readKey({ flags, env, cwd, io }: Invocation): string | undefined {
  const named = flags.text('key-file');
  if (named === undefined) return sendable(nonEmpty(env['GLEITZEIT_KEY']), 'GLEITZEIT_KEY');
  const file = resolve(cwd, named);
  let content: string;
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      io.say(`${named} can be read by others than its owner: chmod 600 ${named}`);
    content = readFileSync(file, 'utf8');
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new GleitzeitError('GLZ1012', `the key in ${named} cannot be read`, { field: 'key-file', reason });
  }
  const key = nonEmpty(content.trim());
  if (key === undefined) throw new GleitzeitError('GLZ1012', `${named} is empty`, { field: 'key-file' });
  return sendable(key, named);
}

/** What a header cannot carry was never a key. */
function sendable(given: string | undefined, from: string): string | undefined {
  const key = given?.trim();
  if (key === undefined || /^[\x21-\x7e]+$/.test(key)) return key;
  throw new GleitzeitError('GLZ1012', `what ${from} holds is no key`, {
    field: from === 'GLEITZEIT_KEY' ? from : 'key-file',
    reason: 'there are spaces or other signs in it',
    hint: 'give it as gleitzeit token create printed it',
  });
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}
