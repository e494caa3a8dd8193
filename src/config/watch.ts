import { createHash } from 'node:crypto';
import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename } from 'node:path';
import type { Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import { readBounded } from '../files/read.ts';
import { foldersOnTheWay } from './links.ts';
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

/** Calls when the text of a file of the configuration has changed. */
export function watchConfig(parts: WatchParts): WatchedFile {
  const { file, logger } = parts;
  return watchFile({
    ...parts,
    hashOf: () => hashOf(file),
    lost: (reason) => logger.warn('the configuration file cannot be watched; trying again', { file, reason }),
  });
}

export type FileParts = Omit<WatchParts, 'logger'> & {
  /** Of what the file says by now; null where nothing can be taken from it. */
  readonly hashOf: () => Promise<string | null>;
  /** Told once, until it can be watched again, why it cannot be. Meanwhile it is looked at again and again. */
  readonly lost: (reason: string) => void;
};

export type WatchedFile = {
  /** What the file said when it was last looked at. */
  known(): string;
  /** Somebody else has taken what the file says. */
  knows(hash: string): void;
  close(): void;
};

/**
 * Its folder is watched, not the file: editors put a new file in the place of the old one, and so does whoever swaps a link,
 * be it one of a folder further up, which is followed to where it points by then. Touching the file does nothing.
 */
export function watchFile(parts: FileParts): WatchedFile {
  const { file, hashOf, onChange, timers, settle_ms = SETTLE_MS } = parts;
  const watchers = new Map<string, FSWatcher>();
  let known = parts.hash;
  let cancel = () => {};
  let expected = false;
  let closed = false;
  let told: string | null = null;

  const look = async () => {
    expected = false;
    const hash = await hashOf();
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
    const reason = troubleOf(thrown);
    if (reason !== told) parts.lost(reason);
    told = reason;
    stopAll(watchers);
    expected = true;
    cancel();
    cancel = timers.after(AGAIN_MS, () => void look());
  };
  const begin = () => {
    try {
      stopAll(watchers);
      for (const [identity, folder] of foldersOf(file))
        watchers.set(identity, watch(folder, heard).on('error', lost));
      told = null;
      soon();
    } catch (thrown) {
      lost(thrown);
    }
  };
  begin();
  return {
    known: () => known,
    knows: (hash) => {
      if (hash === known) return;
      known = hash;
      // The file may have changed again while it was taken.
      if (!expected) soon();
    },
    close: () => {
      closed = true;
      cancel();
      stopAll(watchers);
    },
  };
}

/** A folder that was made anew is another one. */
function foldersOf(file: string): Map<string, string> {
  return new Map([...foldersOnTheWay(file)].map((folder) => [identityOf(folder), folder]));
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
