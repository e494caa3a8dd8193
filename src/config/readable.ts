import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Path } from '../files/path.ts';
import type { Draft } from './draft.ts';
import { troubleOf } from './trouble.ts';

type Files = Readonly<Record<string, string | undefined>>;

/** Says of each of the files that cannot be read why not, at the key that names it. */
export async function checkReadable(files: Files | undefined, at: Path, draft: Draft): Promise<void> {
  for (const [key, file] of Object.entries(files ?? {})) {
    if (file === undefined) continue;
    try {
      await access(file, constants.R_OK);
    } catch (thrown) {
      const message = `cannot be read: ${troubleOf(thrown)}`;
      draft.report({ path: [...at, key], part: 'value', message, hint: `is ${file} the right path?` });
    }
  }
}
