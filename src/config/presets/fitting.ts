import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** `types/*.yaml`: all files of a folder whose names fit. */
export function isPattern(file: string): boolean {
  return basename(file).includes('*');
}

/** Those that fit, by name. Throws where there is no such folder. */
export async function filesFitting(pattern: string): Promise<readonly string[]> {
  const [before = '', ...rest] = basename(pattern).split('*');
  const folder = dirname(pattern);
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.') && fits(name, before, rest));
  return names.sort().map((name) => join(folder, name));
}

/** Part by part, each as early as it can be; the last one at the end. */
function fits(name: string, before: string, rest: readonly string[]): boolean {
  if (!name.startsWith(before)) return false;
  const last = rest.at(-1) ?? '';
  let from = before.length;
  for (const part of rest.slice(0, -1)) {
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return name.length - from >= last.length && name.endsWith(last);
}

/** Changes when a file comes or goes. */
export function hashOfNames(files: readonly string[]): string {
  return createHash('sha256').update(files.join('\0')).digest('hex');
}
