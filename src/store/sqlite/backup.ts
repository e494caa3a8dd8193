import { existsSync, linkSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { GleitzeitError } from '../../core/errors.ts';
import { connect } from './connection.ts';
import { storeError } from './errors.ts';
import { createFile } from './schema.ts';
import { truePath } from './true-path.ts';

/** All of it in one step: copied page by page, it would begin anew with each commit that comes between. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a store as it is at one moment, while whoever holds it goes on. The copy appears under its name only when it is
 * whole and sound, and never in the place of something else.
 */
export async function backupStore(named: string, target: string): Promise<{ readonly size_bytes: number }> {
  const path = truePath(named);
  if (!existsSync(path)) throw new GleitzeitError('GLZ1010', `there is no store at ${path}`);
  if (existsSync(target)) throw taken(target);
  // One with a slip in its name would keep the copies where nobody looks for them.
  if (!existsSync(dirname(target)))
    throw new GleitzeitError('GLZ1010', `there is no folder ${dirname(target)}`, { hint: 'make it first' });
  const draft = `${target}.${process.pid}.part`;
  try {
    createFile(draft);
    await copy(path, draft);
    linkSync(draft, target);
    return { size_bytes: statSync(target).size };
  } catch (thrown) {
    throw isTaken(thrown) ? taken(target) : storeError(thrown, path);
  } finally {
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${draft}${end}`, { force: true });
  }
}

async function copy(path: string, draft: string): Promise<void> {
  const db = connect(path, { readOnly: true });
  try {
    await backup(db, draft, { rate: ALL_PAGES });
  } finally {
    db.close();
  }
  const copied = new DatabaseSync(draft);
  try {
    // In one file, without a log beside it that could get lost.
    copied.exec('PRAGMA journal_mode = DELETE');
    const found = copied.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (found !== 'ok') throw new GleitzeitError('GLZ3005', `the copy is damaged: ${String(found)}`);
  } finally {
    copied.close();
  }
}

function isTaken(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST';
}

function taken(target: string): GleitzeitError {
  return new GleitzeitError('GLZ1011', `${target} is there already, and is not overwritten`, {
    hint: 'name another file',
  });
}
