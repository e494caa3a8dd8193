import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { GleitzeitError } from '../../core/errors.ts';

/** SQLite's own numbers; the low byte is the kind, the rest says more. */
const kinds = {
  busy: 5,
  locked: 6,
  readonly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  notDatabase: 26,
};
/** With less than this a disk counts as full: the file that failed to grow may have wanted more than a page. */
const SOME_ROOM = 64 * 1024;

function errcodeOf(thrown: unknown): number | null {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return null;
  return typeof thrown.errcode === 'number' ? thrown.errcode : null;
}

/** Whether one record is to blame, rather than the store. */
export function isRecordError(thrown: unknown): boolean {
  if (thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('ERR_INVALID_ARG'))
    return true;
  const errcode = errcodeOf(thrown);
  if (errcode === null) return false;
  return [kinds.tooBig, kinds.constraint, kinds.mismatch].includes(errcode & 0xff);
}

/** What the driver or the file system threw, as what it means for the store in this file. */
export function storeError(thrown: unknown, path: string): GleitzeitError {
  if (thrown instanceof GleitzeitError) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const errcode = errcodeOf(thrown);
  if (errcode !== null) return fromDriver(errcode, reason, path, thrown);
  if (thrown instanceof Error && 'syscall' in thrown && 'code' in thrown)
    return fromSystem(String(thrown.code), reason, path, thrown);
  return GleitzeitError.from(thrown);
}

function fromSystem(code: string, reason: string, path: string, cause: unknown): GleitzeitError {
  if (code === 'ENOSPC' || code === 'EDQUOT') return full(path, reason, cause);
  // A missing folder may be missing because it could not be made.
  if (['EACCES', 'EROFS', 'EPERM', 'ENOENT'].includes(code) && !isWritable(path))
    return readonly(path, reason, cause);
  return unavailable(path, reason, cause);
}

function fromDriver(errcode: number, reason: string, path: string, cause: unknown): GleitzeitError {
  switch (errcode & 0xff) {
    case kinds.full:
      return full(path, reason, cause);
    case kinds.io:
      // A plain write that finds no room is said to be that. Elsewhere, as where the shared memory file grows, it is not.
      return hasRoom(path) ? failing(path, reason, cause) : full(path, reason, cause);
    case kinds.readonly:
      return readonly(path, reason, cause);
    case kinds.corrupt:
    case kinds.notDatabase:
      return corrupt(path, reason, cause);
    case kinds.cantOpen:
      return isWritable(path) ? unavailable(path, reason, cause) : readonly(path, reason, cause);
    default:
      return unavailable(path, reason, cause);
  }
}

/** Whether the file and its folder may be written; what is missing counts as the folder it would be made in. */
function isWritable(path: string): boolean {
  const places = existsSync(path) ? [path, dirname(path)] : [nearest(dirname(path))];
  try {
    for (const place of places) accessSync(place, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

function hasRoom(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(nearest(dirname(path)));
    return bavail * bsize >= SOME_ROOM;
  } catch {
    return true;
  }
}

function full(path: string, reason: string, cause: unknown): GleitzeitError {
  return new GleitzeitError(
    'GLZ3003',
    `there is no room to write to the store ${path}`,
    {
      reason,
      hint: 'free some space on its disk; nothing that was accepted is lost, and work goes on by itself',
    },
    cause,
  );
}

export function readonly(path: string, reason: string, cause?: unknown): GleitzeitError {
  return new GleitzeitError(
    'GLZ3004',
    `the store ${path} cannot be written`,
    { reason, hint: 'make the file and its folder writable for this user, or set another store path' },
    cause,
  );
}

function failing(path: string, reason: string, cause: unknown): GleitzeitError {
  return new GleitzeitError(
    'GLZ3001',
    `the disk reports an error with the store ${path}`,
    {
      reason,
      hint: 'look in the log of the system what is wrong with the disk, and at quotas and limits on the size of files',
    },
    cause,
  );
}

function corrupt(path: string, reason: string, cause: unknown): GleitzeitError {
  return new GleitzeitError(
    'GLZ3005',
    `the file ${path} is damaged or no store`,
    { reason, hint: 'restore it from a backup, or move it away to start with an empty store' },
    cause,
  );
}

function unavailable(path: string, reason: string, cause: unknown): GleitzeitError {
  return new GleitzeitError(
    'GLZ3001',
    `the store ${path} cannot be used now`,
    { reason, hint: 'check that the path names a file on a local disk that this user may use' },
    cause,
  );
}

/** The tables contradict each other. */
export function damaged(what: string): GleitzeitError {
  return new GleitzeitError('GLZ3005', `the store is damaged: ${what}`, {
    hint: 'restore it from a backup, or move it away to start with an empty store',
  });
}
