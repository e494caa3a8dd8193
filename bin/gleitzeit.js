#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isRecentEnough, tooOldMessage } from './require-node.js';

// Node strips types only outside node_modules: a clone runs its sources, an installation what was built from them.
const sources = new URL('../src/cli/main.ts', import.meta.url);
const installed = /[\\/]node_modules[\\/]/.test(fileURLToPath(import.meta.url));
const inClone = !installed && existsSync(sources);

if (isRecentEnough(process.version)) {
  import(inClone ? sources.href : new URL('../dist/cli/main.js', import.meta.url).href).catch(fail);
} else {
  console.error(tooOldMessage(process.version, inClone));
  process.exitCode = 1;
}

function fail(error) {
  console.error(error);
  process.exitCode = 1;
}
