import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const folder = new URL('./peers/', import.meta.url);
const stamp = new URL('node_modules/.lockfile-hash', folder);
const peerRequire = createRequire(new URL('package.json', folder));

/** Installs the peers when the lockfile is not the one they were installed from. */
export function installPeers(): void {
  const hash = createHash('sha256')
    .update(readFileSync(new URL('package-lock.json', folder)))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  process.stderr.write('installing the peers\n');
  const { status, error } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: fileURLToPath(folder),
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error('npm ci in bench/peers failed', { cause: error });
  writeFileSync(stamp, hash);
}

export function peerPath(specifier: string): string {
  return peerRequire.resolve(specifier);
}

/**
 * Loads a peer. Its types are not there unless it is installed, so each adapter writes down the few it uses:
 * the type argument is what we read in the peer's declarations, unchecked here.
 */
export function loadPeer<Module>(specifier: string): Module {
  return peerRequire(specifier);
}
