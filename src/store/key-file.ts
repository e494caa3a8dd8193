import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { GleitzeitError } from '../core/errors.ts';
import { newKey, parseKey } from './cipher.ts';

/** The keys in a file, one a line, the current one first. A file that is missing is made, readable by its owner only. */
export function readKeyFile(path: string): Buffer[] {
  const text = read(path) ?? create(path) ?? read(path) ?? '';
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > 0) return lines.map((line) => parseKey(line, path));
  throw new GleitzeitError('GLZ3010', `${path} holds no key`, {
    hint: 'put back the key the store was written with, or remove the file if there are no secrets in it yet',
  });
}

function read(path: string): string | null {
  try {
    const { mode } = statSync(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new GleitzeitError('GLZ3010', `${path} can be read by others than its owner`, {
        hint: `chmod 600 ${path}`,
      });
    }
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (isCode(thrown, 'ENOENT')) return null;
    throw GleitzeitError.from(thrown, 'GLZ3010');
  }
}

/** Null when someone else made it in the meantime. It appears only with all that is in it. */
function create(path: string): string | null {
  const text = `${newKey()}\n`;
  const draft = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true });
    linkSync(draft, path);
    return text;
  } catch (thrown) {
    if (isCode(thrown, 'EEXIST')) return null;
    throw GleitzeitError.from(thrown, 'GLZ3010');
  } finally {
    rmSync(draft, { force: true });
  }
}

function isCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}
