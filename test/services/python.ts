import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withInstallLock } from '../../scripts/install-lock.js';
import { exists, installOnDebian } from './debian.ts';
import { run } from './process.ts';

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
const remedy = 'install Python 3.10 or later with venv and pip';

/** A Python that has packages: an environment of its own, made once and kept. `name` changes with what is wanted. */
export async function pythonWith(name: string, wanted: readonly string[]): Promise<string> {
  const folder = join(cache, `python-${name}`);
  const python = join(folder, 'bin', 'python');
  // Test files that run at once wait for the first of them.
  await withInstallLock(join(cache, 'python'), async () => {
    if (!(await exists(join(folder, 'complete')))) await install(folder, python, wanted);
  });
  return python;
}

async function install(folder: string, python: string, wanted: readonly string[]): Promise<void> {
  process.stderr.write(`Installing ${wanted.join(', ')} …\n`);
  // A half-made one is not taken for whole.
  await rm(folder, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  await makeEnvironment(folder);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...wanted]);
  const note = join(folder, 'complete.new');
  await writeFile(note, wanted.join('\n'));
  await rename(note, join(folder, 'complete'));
}

async function makeEnvironment(folder: string): Promise<void> {
  try {
    await run('python3', ['-m', 'venv', folder]);
  } catch {
    await installOnDebian('python3-venv', remedy);
    await run('python3', ['-m', 'venv', '--clear', folder]);
  }
}
