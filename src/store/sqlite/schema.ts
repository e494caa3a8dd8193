import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { GleitzeitError } from '../../core/errors.ts';

/** "GLZ1": marks a file as a store of ours. */
const APPLICATION_ID = 0x474c5a31;

/** Makes an empty file that only this user can read, in a folder that may be missing; leaves alone what is there. */
export function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown;
  }
}

/** Whether the file is a store of ours (true) or empty (false). Refuses the database of another program. */
export function isOurs(db: DatabaseSync, path: string): boolean {
  const application = db.prepare('PRAGMA application_id').get()?.['application_id'];
  if (application === APPLICATION_ID) return true;
  const tables = db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables'];
  if (tables === 0 && application === 0) return false;
  throw new GleitzeitError('GLZ3006', `the file ${path} is the database of another program`, {
    reason: `it has ${String(tables)} tables and indexes that are not ours`,
    hint: 'set another store path',
  });
}

export function markAsOurs(db: DatabaseSync): void {
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
}
