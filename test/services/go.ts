import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withInstallLock } from '../../scripts/install-lock.js';
import { installOnDebian, isInstalled } from './debian.ts';
import { run } from './process.ts';

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
const remedy = 'install Go 1.19 or later';

/** Builds the Go program of a folder, for which Go is installed on Debian where it is missing. */
export async function buildGo(folder: string, name: string): Promise<string> {
  const place = join(cache, 'go');
  // Test files that run at once wait for the first of them, and take each a program that nobody replaces.
  await withInstallLock(place, async () => {
    if (!(await isInstalled('go'))) await installOnDebian('golang-go', remedy);
    await mkdir(place, { recursive: true });
    await run('sh', ['-c', 'cd "$1" && go build -o "$2" .', 'sh', folder, join(place, `${name}.new`)]);
    await rename(join(place, `${name}.new`), join(place, name));
  });
  return join(place, name);
}
