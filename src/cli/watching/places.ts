import { statSync } from 'node:fs';
import type { WatchedPlaces } from './folders.ts';

/** Files and folders by what they are now; what is not there counts as a file, and is missed by name. */
export function placesNamed(named: readonly string[], folders: readonly string[] = []): WatchedPlaces {
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return {
    folders: [...folders, ...named.filter(isFolder)],
    files: named.filter((path) => !isFolder(path)),
  };
}
