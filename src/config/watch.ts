import { createHash } from 'node:crypto';
import { existsSync, type FSWatcher, realpathSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import { readBounded } from '../files/read.ts';
import { filesFitting, hashOfNames, isPattern } from './presets/fitting.ts';
import { troubleOf } from './trouble.ts';

export type WatchParts = {
  readonly file: string;
  /** SHA-256 of the text that is known already. */
  readonly hash: string;
  readonly onChange: () => void;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Editors write in several steps: so long after the last one the file is read. */
  readonly settle_ms?: number;
};

const SETTLE_MS = 200;
const AGAIN_MS = 5000;
/** More than a configuration may have: beyond that all files are the same, too large. */
const LARGEST = 2 ** 21;

/**
 * Calls when the text of a file has changed. Its folder is watched, not the file: editors put a new file in the place of
 * the old one, and so does whoever swaps a link, which is followed to where it points by then. Touching it does nothing.
 */
export function watchConfig(parts: WatchParts): { close(): void } {
  const { file, onChange, timers, logger, settle_ms = SETTLE_MS } = parts;
  const watchers = new Map<string, FSWatcher>();
  let known = parts.hash;
  let cancel = () => {};
  let expected = false;
  let closed = false;

  const look = async () => {
    expected = false;
    const hash = await hashOf(file);
    if (closed) return;
    if (!isWatched()) begin();
    // Between the old file and the new one there may be none; the next event tells of the new one.
    if (hash === null || hash === known) return;
    known = hash;
    onChange();
  };
  const isWatched = () => {
    try {
      const folders = foldersOf(file);
      return (
        folders.size === watchers.size && [...folders.keys()].every((identity) => watchers.has(identity))
      );
    } catch {
      return false;
    }
  };
  const soon = () => {
    expected = true;
    cancel();
    cancel = timers.after(settle_ms, () => void look());
  };
  // What else is written into the folder, a log for one, may be written without a pause: it does not put the look off.
  const heard = (_: string, name: string | null) => {
    if (!expected || name === null || name === basename(file)) soon();
  };
  const lost = (thrown: unknown) => {
    if (closed) return;
    logger.warn('the configuration file cannot be watched; trying again', {
      file,
      reason: troubleOf(thrown),
    });
    stopAll(watchers);
    expected = true;
    cancel();
    cancel = timers.after(AGAIN_MS, begin);
  };
  const begin = () => {
    try {
      stopAll(watchers);
      for (const [identity, folder] of foldersOf(file))
        watchers.set(identity, watch(folder, heard).on('error', lost));
      soon();
    } catch (thrown) {
      lost(thrown);
    }
  };
  begin();
  return {
    close: () => {
      closed = true;
      cancel();
      stopAll(watchers);
    },
  };
}

/** Where the file lies, and where it really lies if it is a link. A folder that was made anew is another one. */
function foldersOf(file: string): Map<string, string> {
  const real = existsSync(file) ? realpathSync(file) : file;
  const folders = new Set([dirname(file), dirname(real)]);
  return new Map([...folders].map((folder) => [identityOf(folder), folder]));
}

/** The number alone may be given to the next one. */
function identityOf(folder: string): string {
  const { dev, ino, birthtimeMs } = statSync(folder);
  return `${dev} ${ino} ${birthtimeMs}`;
}

function stopAll(watchers: Map<string, FSWatcher>): void {
  for (const watcher of watchers.values()) watcher.close();
  watchers.clear();
}

async function hashOf(file: string): Promise<string | null> {
  try {
    if (isPattern(file)) return hashOfNames(await filesFitting(file));
    return createHash('sha256')
      .update(await readBounded(file, LARGEST))
      .digest('hex');
  } catch {
    return null;
  }
}
