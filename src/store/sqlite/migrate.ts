import { DatabaseSync } from 'node:sqlite';
import { GleitzeitError } from '../../core/errors.ts';
import { type AppliedMigration, loadMigrations, type Migration, pendingMigrations } from '../migrations.ts';
import { readonly, storeError } from './errors.ts';
import { takeLock } from './lock.ts';
import { isOurs, markAsOurs } from './schema.ts';
import { truePath } from './true-path.ts';

export type MigrateOptions = { readonly path: string; readonly migrations?: readonly Migration[] };

/** Brings the tables to the newest version, all of it or nothing. */
export function migrate(
  db: DatabaseSync,
  { path, migrations = loadMigrations('sqlite') }: MigrateOptions,
): void {
  const ours = isOurs(db, path);
  const pending = pendingMigrations(migrations, ours ? appliedTo(db) : []);
  if (pending.length === 0) return;
  inTransaction(db, () => {
    if (!ours) markAsOurs(db);
    db.exec(`CREATE TABLE IF NOT EXISTS migration (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL)`);
    const record = db.prepare("INSERT INTO migration VALUES (?, ?, ?, datetime('now'))");
    for (const { version, name, checksum, up } of pending) {
      db.exec(up);
      record.run(version, name, checksum);
    }
  });
}

/** For whoever may not write: the tables must be as this program knows them. */
export function requireMigrated(
  db: DatabaseSync,
  { path, migrations = loadMigrations('sqlite') }: MigrateOptions,
): void {
  const pending = pendingMigrations(migrations, isOurs(db, path) ? appliedTo(db) : []);
  if (pending.length === 0) return;
  throw readonly(path, 'its tables are not up to date, and bringing them up to date means writing');
}

/** Takes back every migration after `target`, newest first, and with them what they stored. */
export function migrateDown(named: string, target: number, migrations = loadMigrations('sqlite')): void {
  const path = truePath(named);
  try {
    const lock = takeLock(path);
    try {
      const db = new DatabaseSync(path);
      try {
        down(db, { path, migrations }, target);
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

function down(db: DatabaseSync, { path, migrations }: Required<MigrateOptions>, target: number): void {
  if (!isOurs(db, path)) throw new GleitzeitError('GLZ3006', `there is no store in ${path}`);
  const applied = appliedTo(db);
  pendingMigrations(migrations, applied);
  inTransaction(db, () => {
    for (const { version } of applied.toReversed()) {
      if (version <= target) break;
      db.exec(migrations.find((migration) => migration.version === version)?.down ?? '');
      db.prepare('DELETE FROM migration WHERE version = ?').run(version);
    }
  });
}

export function appliedTo(db: DatabaseSync): AppliedMigration[] {
  const rows = db.prepare('SELECT version, name, checksum FROM migration ORDER BY version').all();
  return rows as unknown as AppliedMigration[];
}

function inTransaction(db: DatabaseSync, write: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    write();
    db.exec('COMMIT');
  } catch (thrown) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw thrown;
  }
}
