// Plain JavaScript: the program asks for it before anything else, and the bundler when it has written its files.
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Changes with every change of a source: names, sizes and times, since reading them all would take longer than it saves. */
export function sourceStamp(folder) {
  const hash = createHash('sha1');
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts'));
  for (const name of names.sort()) {
    const { size, mtimeMs } = statSync(join(folder, name));
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
