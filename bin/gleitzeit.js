#!/usr/bin/env node
import { existsSync } from 'node:fs';
// As a whole: an old Node lacks some of its names, and shall live to say that it is old.
import * as nodeModules from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRecentEnough, manifest, tooOldMessage } from './require-node.js';
import { sourceStamp } from './source-stamp.js';

// Node strips types only outside node_modules: a clone runs its sources, an installation what was built from them.
const sources = new URL('../src/cli/main.ts', import.meta.url);
const installed = /[\\/]node_modules[\\/]/.test(fileURLToPath(import.meta.url));
const inClone = !installed && existsSync(sources);
const compileCache = inClone
  ? fileURLToPath(new URL('../.cache/compile', import.meta.url))
  : join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gleitzeit', 'compile');

if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2])) {
  // Asked for by scripts and editors again and again: answered before anything else is read.
  process.stdout.on('error', cannotPrint);
  process.stdout.write(`${manifest.version}\n`);
} else if (isRecentEnough(process.version)) {
  giveRoomToServers();
  rememberCode();
  import(
    inClone ? (bundled() ?? sources.href) : new URL('../dist/program/main.js', import.meta.url).href
  ).catch(fail);
} else {
  console.error(tooOldMessage(process.version, inClone));
  process.exitCode = 1;
}

/**
 * A server under load spends less of its time on garbage when young objects have more room; with much more, each collection
 * stops it for long. V8 takes that only as a flag, so the process starts itself again; where it cannot take its own place it
 * goes on as it is.
 */
function giveRoomToServers() {
  const serves = ['serve', 'dev', 'start'].includes(process.argv[2]);
  const chosen = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').includes('semi-space');
  if (!serves || chosen || process.execve === undefined || process.platform === 'win32') return;
  const args = ['--max-semi-space-size=16', ...process.execArgv, ...process.argv.slice(1)];
  // As a variable, because threads look for it there.
  const env = { NODE_COMPILE_CACHE: compileCache, ...process.env };
  process.execve(process.execPath, [process.argv0, ...args], env);
}

/**
 * A second start reads what the first one compiled; in a clone, where types have to be stripped as well, in half the time
 * and with a third less memory. Where nothing can be written nothing is remembered.
 */
function rememberCode() {
  nodeModules.enableCompileCache(compileCache);
  // Written by itself only at the end of the process, which may be a kill -9.
  setTimeout(nodeModules.flushCompileCache, 2000).unref();
}

/** The program in a few files, as `npm install` left it, if no source has changed since. */
function bundled() {
  const stamp = sourceStamp(fileURLToPath(new URL('../src', import.meta.url)));
  const file = new URL(`../.cache/program-${stamp}/main.js`, import.meta.url);
  return existsSync(file) ? file.href : null;
}

/** As the program does it: nobody has to read on, but a full disk is told. */
function cannotPrint(error) {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`gleitzeit: cannot print: ${error.message}\n`);
  process.exit(1);
}

function fail(error) {
  console.error(error);
  process.exitCode = 1;
}
