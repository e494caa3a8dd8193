import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, sep } from 'node:path';

/** As many as the system follows. */
const MOST_LINKS = 40;

/**
 * The folders in which somebody may put another thing in the place of a file: its own, those of the links on the way to it,
 * however far up, and the one where it really lies. Where the way ends early, those up to there.
 */
export function foldersOnTheWay(file: string): ReadonlySet<string> {
  const folders = new Set([dirname(file)]);
  let { root: at } = parse(file);
  let rest = namesIn(file.slice(at.length));
  for (let links = 0; links <= MOST_LINKS; ) {
    const [name, ...more] = rest;
    if (name === undefined) return folders.add(dirname(at));
    rest = more;
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found === undefined) return folders;
    if (!found.isSymbolicLink()) {
      at = next;
      continue;
    }
    links += 1;
    folders.add(at);
    const target = readlinkSync(next);
    if (isAbsolute(target)) at = parse(target).root;
    rest = [...namesIn(isAbsolute(target) ? target.slice(at.length) : target), ...more];
  }
  return folders;
}

function namesIn(path: string): string[] {
  return path.split(sep).filter((name) => name !== '' && name !== '.');
}
