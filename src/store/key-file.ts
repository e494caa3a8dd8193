import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { GleitzeitError } from '../core/errors.ts';
import { newKey, parseKey } from './cipher.ts';

/** The keys in a file, one a line, the current one first. A file that is missing is made, readable by its owner only. */
export function readKeyFile(path: string): Buffer[] {
  const text = read(path) ?? create(path) ?? read(path) ?? '';
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => parseKey(line, path));
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

/** Null when someone else made it in the meantime. */
function create(path: string): string | null {
  const text = `${newKey()}\n`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, 'wx', 0o600);
    writeSync(file, text);
    closeSync(file);
    return text;
  } catch (thrown) {
    if (isCode(thrown, 'EEXIST')) return null;
    throw GleitzeitError.from(thrown, 'GLZ3010');
  }
}

function isCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}
