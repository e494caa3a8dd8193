import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { run } from './process.ts';

/** Installs a package where it is missing. `remedy` says what to do on machines where that cannot be done. */
export async function installOnDebian(name: string, remedy: string): Promise<void> {
  if (process.getuid?.() !== 0 || !(await isInstalled('apt-get'))) {
    throw new Error(`${name} is needed and missing: ${remedy}.`);
  }
  process.stderr.write(`Installing ${name} …\n`);
  // RUNLEVEL=1 keeps Debian from starting a server of its own.
  const env = ['RUNLEVEL=1', 'DEBIAN_FRONTEND=noninteractive'];
  const quietly = ['-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120'];
  try {
    await run('env', [...env, 'apt-get', 'update']);
    await run('env', [...env, 'apt-get', 'install', ...quietly, name]);
  } catch (error) {
    throw new Error(`${name} could not be installed: ${remedy}.`, { cause: error });
  }
}

export async function isInstalled(program: string): Promise<boolean> {
  return (await Promise.all(searchPath().map((folder) => exists(join(folder, program))))).includes(true);
}

export function searchPath(): string[] {
  return (process.env['PATH'] ?? '').split(delimiter);
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
