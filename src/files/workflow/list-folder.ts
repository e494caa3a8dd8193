import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type { BatchLister } from './batch.ts';
import type { BatchReader } from './batch-text.ts';

/** So many names are looked at; a folder with more is not what was meant. */
const MOST_NAMES = 100_000;
const DEEPEST = 32;

/**
 * Lists the files of a folder that counts from another one. Links are followed only where they lead to something inside
 * the folder, so that a batch never reads what its folder does not hold.
 */
export function folderLister(base: string, most = MOST_NAMES): BatchLister {
  return ({ directory, deep }) => {
    const root = realpathSync(resolve(base, directory));
    if (!statSync(root).isDirectory()) throw new Error('it is no folder');
    const found: string[] = [];
    let looked = 0;
    const visit = (folder: string, prefix: string, depth: number): void => {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (++looked > most) throw new Error(`it holds more than ${most} names`);
        const kind = kindOf(entry, folder, root);
        if (kind === 'file') found.push(prefix + entry.name);
        else if (kind === 'folder' && deep && depth < DEEPEST)
          visit(join(folder, entry.name), `${prefix}${entry.name}/`, depth + 1);
      }
    };
    visit(root, '', 1);
    return found;
  };
}

/** A link to a folder is left alone: it may lead round in a circle. */
function kindOf(entry: Dirent, folder: string, root: string): 'file' | 'folder' | 'other' {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (!entry.isSymbolicLink()) return 'other';
  try {
    const target = realpathSync(join(folder, entry.name));
    return target.startsWith(root.endsWith(sep) ? root : root + sep) && statSync(target).isFile()
      ? 'file'
      : 'other';
  } catch {
    return 'other';
  }
}

/** More than that no model is shown at once. */
const LONGEST_TEXT = 2 ** 20;

/** Reads what `folderLister` found. */
export function folderReader(base: string): BatchReader {
  return ({ directory, path }) => {
    const file = resolve(base, directory, path);
    if (statSync(file).size > LONGEST_TEXT) throw new Error('it is larger than 1 MiB');
    const bytes = readFileSync(file);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw new Error('it is no text in UTF-8');
    }
  };
}
