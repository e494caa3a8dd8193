import { folderLister } from '../../files/workflow/list-folder.ts';
import type { WatchedFolder } from './folders.ts';

type Listing = { readonly folder: WatchedFolder; readonly names: string };

/** Which folders each file lists, and what they held when it did. */
export class Listings {
  readonly #files = new Map<string, Listing[]>();

  get folders(): readonly WatchedFolder[] {
    return [...this.#files.values()].flat().map(({ folder }) => folder);
  }

  /** A file is read anew: returns what is to be told of each folder it lists. */
  begin(file: string): (folder: WatchedFolder) => void {
    const listings: Listing[] = [];
    this.#files.set(file, listings);
    return (folder) => void listings.push({ folder, names: namesIn(folder) });
  }

  changed(file: string): boolean {
    return (this.#files.get(file) ?? []).some(({ folder, names }) => namesIn(folder) !== names);
  }

  forget(file: string): void {
    this.#files.delete(file);
  }
}

function namesIn({ path, deep }: WatchedFolder): string {
  try {
    return folderLister(path)({ directory: '.', deep }).toSorted().join('\n');
  } catch (thrown) {
    return String(thrown);
  }
}
