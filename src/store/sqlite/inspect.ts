import { existsSync, statSync } from 'node:fs';
import { type AppliedMigration, loadMigrations, type Migration, pendingMigrations } from '../migrations.ts';
import { connect } from './connection.ts';
import { storeError } from './errors.ts';
import { type Holder, holderOf, takeLock } from './lock.ts';
import { appliedTo, migrate } from './migrate.ts';
import { createFile, isOurs } from './schema.ts';
import { truePath } from './true-path.ts';

/** A store as it lies there, read beside whoever holds it. */
export type Inspection = {
  readonly path: string;
  /** False: there is no file yet, and whoever opens the store makes one. */
  readonly exists: boolean;
  readonly size_bytes: number;
  /** Of the log that has not been moved into the file yet. */
  readonly log_bytes: number;
  readonly holder: Holder | null;
  readonly applied: readonly AppliedMigration[];
  readonly pending: readonly Migration[];
};

export function inspectStore(named: string): Inspection {
  const path = truePath(named);
  const all = loadMigrations('sqlite');
  const nothing = {
    path,
    exists: false,
    size_bytes: 0,
    log_bytes: 0,
    holder: null,
    applied: [],
    pending: all,
  };
  if (!existsSync(path)) return nothing;
  try {
    const db = connect(path, { readOnly: true });
    try {
      const applied = isOurs(db, path) ? appliedTo(db) : [];
      const holder = holderOf(path);
      const sizes = { size_bytes: sizeOf(path), log_bytes: sizeOf(`${path}-wal`) };
      return { path, exists: true, ...sizes, holder, applied, pending: pendingMigrations(all, applied) };
    } finally {
      db.close();
    }
  } catch (thrown) {
    throw storeError(thrown, path);
  }
}

/** What the database finds wrong with its own file; nothing where it is sound. Takes as long as reading it. */
export function checkIntegrity(named: string): readonly string[] {
  const path = truePath(named);
  try {
    const db = connect(path, { readOnly: true });
    try {
      const rows = db.prepare('PRAGMA quick_check(10)').all();
      return rows.map((row) => String(row['quick_check'])).filter((line) => line !== 'ok');
    } finally {
      db.close();
    }
  } catch (thrown) {
    throw storeError(thrown, path);
  }
}

/** Makes the store where there is none, and brings its tables to the newest version. Nobody may hold it meanwhile. */
export function migrateStore(named: string): readonly Migration[] {
  const path = truePath(named);
  try {
    createFile(path);
    const lock = takeLock(path);
    try {
      const db = connect(path);
      try {
        const pending = pendingMigrations(loadMigrations('sqlite'), isOurs(db, path) ? appliedTo(db) : []);
        migrate(db, { path });
        return pending;
      } finally {
        db.close();
      }
    } finally {
      lock.release();
    }
  } catch (thrown) {
    throw storeError(thrown, path);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
