import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Where a store really is: by whatever links it is named, there is one lock. A file not made yet has its folder's place. */
export function truePath(path: string): string {
  const absolute = resolve(path);
  return real(absolute) ?? join(real(dirname(absolute)) ?? dirname(absolute), basename(absolute));
}

function real(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
