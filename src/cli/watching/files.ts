import { basename } from 'node:path';

/** What a workflow file is called, so that it is found by itself and editors know it. */
export function isWorkflowFile(path: string): boolean {
  return /^[^.].*\.gleitzeit\.(ya?ml|json)$/i.test(basename(path));
}

export type FileChanges = {
  /** New, or with another text. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
};

/** What differs between two looks at the same folders, each a list of files with a hash of their text. */
export function compareFiles(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): FileChanges {
  return {
    changed: [...now].filter(([file, hash]) => before.get(file) !== hash).map(([file]) => file),
    removed: [...before.keys()].filter((file) => !now.has(file)),
  };
}
