import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { storeError } from './errors.ts';
import { createFile } from './schema.ts';
import { truePath } from './true-path.ts';

/** Who holds a store. */
export type Holder = {
  readonly pid: number;
  readonly started_at: string;
  /** Where others can ask it for what they want of the store: a URL, or the path of a socket. Null while it says none. */
  readonly address: string | null;
};

export type Lock = {
  /** Tells others where the holder can be reached. */
  setAddress(address: string | null): void;
  release(): void;
};

/** Somebody may just be looking whether the store is held. */
const PATIENCE_MS = 100;

/**
 * One process at a time. The guarantee is an exclusive transaction on a file of its own, which the system lets go of
 * when the process dies, however it dies; the note beside it only tells others who it is.
 */
export function takeLock(path: string): Lock {
  const file = `${path}-lock`;
  createFile(file);
  const db = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (thrown) {
    db.close();
    throw isBusy(thrown) ? heldByOther(path) : storeError(thrown, path);
  }
  const holder: Holder = { pid: process.pid, started_at: new Date().toISOString(), address: null };
  writeNote(path, holder);
  return {
    setAddress: (address) => writeNote(path, { ...holder, address }),
    release: () => {
      rmSync(noteOf(path), { force: true });
      db.close();
    },
  };
}

/** As a whole or not at all: others read it at any time. */
function writeNote(path: string, holder: Holder): void {
  const note = noteOf(path);
  writeFileSync(`${note}.new`, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  renameSync(`${note}.new`, note);
}

function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && thrown.errcode === 5;
}

/** Who holds the store at this path now; null where nobody does. */
export function holderOf(named: string): Holder | null {
  const path = truePath(named);
  return isHeld(path) ? readHolder(path) : null;
}

function isHeld(path: string): boolean {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(`${path}-lock`, { readOnly: true, timeout: 0 });
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (thrown) {
    return isBusy(thrown);
  } finally {
    db?.close();
  }
}

/** What the holder wrote about itself. It may be out of date: only the lock says whether it still holds the store. */
export function readHolder(path: string): Holder | null {
  try {
    const note: unknown = JSON.parse(readFileSync(noteOf(path), 'utf8'));
    if (!isObject(note) || typeof note['pid'] !== 'number') return null;
    const { pid, started_at, address } = note;
    return { pid, started_at: String(started_at), address: typeof address === 'string' ? address : null };
  } catch {
    return null;
  }
}

function noteOf(path: string): string {
  return `${path}.lock`;
}

function heldByOther(path: string): GleitzeitError {
  const holder = readHolder(path);
  if (holder === null) return inUse(path, 'another process', {});
  const { pid, started_at, address } = holder;
  const reason = `it was opened at ${started_at}`;
  return inUse(path, pid === process.pid ? 'this process' : `process ${pid}`, {
    reason: address === null ? reason : `${reason}, and can be reached at ${address}`,
  });
}

function inUse(path: string, who: string, details: { reason?: string }): GleitzeitError {
  return new GleitzeitError('GLZ3002', `the store ${path} is in use by ${who}`, {
    ...details,
    hint: 'stop that process, or set another store path',
  });
}
