// Runs on whatever Node a machine happens to have, so it keeps to syntax that old versions can read.
import { readFileSync } from 'node:fs';

export const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The lowest Node that `engines` allows, as [major, minor]. */
export const minimum = /(\d+)\.(\d+)/.exec(manifest.engines.node).slice(1).map(Number);

export function isRecentEnough(version) {
  const found = /^v?(\d+)\.(\d+)/.exec(version).slice(1).map(Number);
  return found[0] > minimum[0] || (found[0] === minimum[0] && found[1] >= minimum[1]);
}

export function tooOldMessage(version, inClone) {
  const remedy = inClone
    ? 'run `npm install --include=optional` here, which brings its own Node, and start it with `npm run …` or `npx gleitzeit`'
    : 'install it with its optional dependencies and start it with `npx gleitzeit`, or install a newer Node';
  return `gleitzeit needs Node ${minimum.join('.')} or later and this is ${version}: ${remedy}.`;
}
