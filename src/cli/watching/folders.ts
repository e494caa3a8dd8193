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

/** Calls when something in these places may have changed, a moment after the last change. */
export function watchPlaces(places: WatchedPlaces, changed: () => void): { close(): void } {
  const folders = new Set([...places.folders, ...places.files.map((file) => dirname(file))]);
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const soon = (ms = SETTLE_MS) => {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(look, ms);
  };
  const look = () => {
    for (const folder of folders) if (!watchers.has(folder)) begin(folder);
    changed();
    // A folder that is not there cannot be watched, only looked for.
    if (watchers.size < folders.size) soon(AGAIN_MS);
  };
  const begin = (folder: string) => {
    try {
      const watcher = watch(folder, () => soon());
      watchers.set(folder, watcher);
      watcher.on('error', () => lose(folder));
    } catch {
      lose(folder);
    }
  };
  const lose = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
    soon(AGAIN_MS);
  };
  for (const folder of folders) begin(folder);
  return {
    close: () => {
      closed = true;
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
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
