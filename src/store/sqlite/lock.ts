import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { storeError } from './errors.ts';
import { createFile } from './schema.ts';

/** Who holds a store. */
export type Holder = {
  readonly pid: number;
  readonly started_at: string;
};

export type Lock = { release(): void };

/**
 * One process at a time. The guarantee is an exclusive transaction on a file of its own, which the system lets go of
 * when the process dies, however it dies; the note beside it only tells others who it is.
 */
export function takeLock(path: string): Lock {
  const file = `${path}-lock`;
  createFile(file);
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (thrown) {
    db.close();
    throw isBusy(thrown) ? heldByOther(path) : storeError(thrown, path);
  }
  const holder: Holder = { pid: process.pid, started_at: new Date().toISOString() };
  writeFileSync(noteOf(path), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  return {
    release: () => {
      rmSync(noteOf(path), { force: true });
      db.close();
    },
  };
}

function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && thrown.errcode === 5;
}

/** What the holder wrote about itself. It may be out of date: only the lock says whether it still holds the store. */
export function readHolder(path: string): Holder | null {
  try {
    const note: unknown = JSON.parse(readFileSync(noteOf(path), 'utf8'));
    if (!isObject(note) || typeof note['pid'] !== 'number') return null;
    return { pid: note['pid'], started_at: String(note['started_at']) };
  } catch {
    return null;
  }
}

function noteOf(path: string): string {
  return `${path}.lock`;
}

function heldByOther(path: string): GleitzeitError {
  const holder = readHolder(path);
  const who =
    holder === null
      ? 'another process'
      : holder.pid === process.pid
        ? 'this process'
        : `process ${holder.pid}`;
  return new GleitzeitError('GLZ3002', `the store ${path} is in use by ${who}`, {
    ...(holder === null ? {} : { reason: `it was opened at ${holder.started_at}` }),
    hint: 'stop that process, or set another store path',
  });
}
