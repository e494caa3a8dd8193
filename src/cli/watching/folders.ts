import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { isWorkflowFile } from './files.ts';

/** Editors write in several steps: so long after the last one the files are read. */
const SETTLE_MS = 200;
const AGAIN_MS = 2000;

export type WatchedPlaces = {
  /** Folders whose workflow files count. */
  readonly folders: readonly string[];
  /** Files that count whatever they are called. */
  readonly files: readonly string[];
};

/** The files there are now. */
export function listFiles({ folders, files }: WatchedPlaces): string[] {
  const inFolders = folders.flatMap((folder) =>
    namesIn(folder)
      .filter(isWorkflowFile)
      .map((name) => join(folder, name)),
  );
  return [...new Set([...inFolders, ...files])].filter(isFile).toSorted();
}

export type Watching = {
  /** Called when something may have changed, a moment after the last change. */
  readonly changed: () => Promise<void>;
  /** Folders that turn out to matter as well, asked for after each call. */
  readonly besides: () => readonly WatchedFolder[];
};

/** `deep`: with all folders below it. */
export type WatchedFolder = { readonly path: string; readonly deep: boolean };

/** Another folder in the place of one that was removed is not watched by itself. */
type Watched = { readonly watcher: FSWatcher; readonly inode: bigint | undefined };

function inodeOf(path: string | undefined): bigint | undefined {
  return path === undefined ? undefined : statSync(path, { throwIfNoEntry: false, bigint: true })?.ino;
}

/** Watches these places, and what matters besides, until it is closed. */
export function watchPlaces(places: WatchedPlaces, { changed, besides }: Watching): { close(): void } {
  const own = [...places.folders, ...places.files.map((file) => dirname(file))];
  const watchers = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;
  /** Since when something waits to be looked at. */
  let since: number | null = null;
  let closed = false;
  const soon = (ms = SETTLE_MS) => {
    clearTimeout(timer);
    since ??= performance.now();
    // A folder in which something happens all the time must not put it off for ever.
    const most = Math.max(0, since + AGAIN_MS - performance.now());
    if (!closed) timer = setTimeout(() => void look(), Math.min(ms, most));
  };
  const look = async () => {
    since = null;
    begin();
    await changed();
    begin();
  };
  const begin = () => {
    const wanted = wantedFolders(own, besides());
    for (const [key, { watcher, inode }] of watchers) {
      if (inode === inodeOf(wanted.get(key)?.path)) continue;
      watcher.close();
      watchers.delete(key);
    }
    for (const [key, folder] of wanted) if (!closed && !watchers.has(key)) beginWith(key, folder);
  };
  const beginWith = (key: string, { path, deep }: WatchedFolder) => {
    try {
      const watcher = watch(path, { recursive: deep }, () => soon());
      watchers.set(key, { watcher, inode: inodeOf(path) });
      watcher.on('error', () => lose(key));
      // What happened since it was last looked at, nobody has seen.
      soon();
    } catch {
      lose(key);
    }
  };
  // A folder that is not there cannot be watched, only looked for.
  const lose = (key: string) => {
    watchers.get(key)?.watcher.close();
    watchers.delete(key);
    soon(AGAIN_MS);
  };
  begin();
  return {
    close: () => {
      closed = true;
      clearTimeout(timer);
      for (const { watcher } of watchers.values()) watcher.close();
    },
  };
}

function wantedFolders(
  own: readonly string[],
  besides: readonly WatchedFolder[],
): Map<string, WatchedFolder> {
  const all = [...own.map((path) => ({ path, deep: false })), ...besides];
  return new Map(all.map((folder) => [`${folder.deep}:${folder.path}`, folder]));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
