import { spawnSync } from 'node:child_process';

let listsAreFresh = false;

/** Installs a Debian package without starting what it brings. Only called where the program is missing. */
export function installPackage(name: string): void {
  process.stderr.write(`installing ${name}\n`);
  if (!listsAreFresh) apt('update', '-qq');
  listsAreFresh = true;
  apt('install', '-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', name);
}

function apt(...args: readonly string[]): void {
  const { status, error } = spawnSync('apt-get', args, {
    env: { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`apt-get ${args.join(' ')} failed`, { cause: error });
}
