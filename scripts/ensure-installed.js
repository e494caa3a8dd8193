// Runs before every npm script, on the machine's own Node and before anything is installed: plain JavaScript, no dependencies.
// Everything it says goes to stderr, because the last line on stdout belongs to the script that follows.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRecentEnough, tooOldMessage } from '../bin/require-node.js';
import { withInstallLock } from './install-lock.js';
import { installedMatchesLockfile, platformNode, refusedOnlyOtherPlatforms } from './installed.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

try {
  await ensureInstalled();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function ensureInstalled() {
  if (await isComplete()) return;
  await withInstallLock(join(root, '.cache'), async () => {
    // Another script may have installed while this one waited for the lock.
    if (await isComplete()) return;
    console.error('Installing dependencies (npm ci) …');
    const started = Date.now();
    install();
    console.error(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`);
  });
  if (!hasUsableNode()) throw new Error(tooOldMessage(process.version, true));
}

async function isComplete() {
  if (!installedMatchesLockfile(root)) return false;
  if (hasUsableNode()) return true;
  // Installing again would leave the optional packages out again.
  if (/\boptional\b/.test(process.env.npm_config_omit ?? ''))
    throw new Error(tooOldMessage(process.version, true));
  return false;
}

/** The script that follows finds node_modules/.bin first on its PATH, and the machine's own Node after it. */
function hasUsableNode() {
  return existsSync(platformNode(root)) || isRecentEnough(process.version);
}

function install() {
  releaseRunningNode();
  const ci = npm('ci', '--include=dev');
  if (ci.status === 0) return;
  if (refusedOnlyOtherPlatforms(root, ci.said)) {
    console.error(
      'The lockfile lacks builds for other platforms; installing what it has (npm install --no-save) …',
    );
    const loose = npm('install', '--no-save', '--include=dev');
    if (loose.status === 0 && installedMatchesLockfile(root)) return;
  }
  const reason = ci.said.split(/^npm error (?:Clean install a project|Usage:)/m)[0].trim();
  throw new Error(`${reason}\nnpm ci failed, so nothing was run; mend what npm says above and start again.`);
}

function npm(...words) {
  const { command, args, shell } = npmCommand();
  const result = spawnSync(command, [...args, ...words, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    shell,
    maxBuffer: 64 * 1024 * 1024,
  });
  const said = [result.error?.message, result.stdout, result.stderr].filter(Boolean).join('\n');
  return { status: result.status, said };
}

/** The npm that started us, on the Node that started it; `npm` from the PATH when run by hand. */
function npmCommand() {
  const cli = process.env.npm_execpath ?? '';
  if (/^npm/.test(basename(cli)) && existsSync(cli)) {
    const node = process.env.npm_node_execpath;
    return { command: node && existsSync(node) ? node : process.execPath, args: [cli], shell: false };
  }
  return { command: 'npm', args: [], shell: process.platform === 'win32' };
}

/** Windows refuses to delete a program that runs, but lets it be moved: out of the way of `npm ci`. */
function releaseRunningNode() {
  if (process.platform !== 'win32' || !process.execPath.startsWith(join(root, 'node_modules'))) return;
  const aside = join(root, '.cache', `node-${process.pid}.exe`);
  mkdirSync(dirname(aside), { recursive: true });
  renameSync(process.execPath, aside);
  process.env.npm_node_execpath = aside;
}
