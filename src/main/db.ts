import type { Config } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import { systemTimers } from '../embedded/system.ts';
import { commandLogger } from './log-lines.ts';
import { type Place, placeOf } from './store.ts';

export type MigrationName = { readonly version: number; readonly name: string };

/** The store as `gleitzeit db status` tells of it. */
export type DbStatus = {
  readonly type: 'sqlite' | 'postgres';
  /** The file, or the address without its password. */
  readonly place: string;
  readonly exists: boolean;
  readonly size_bytes: number | null;
  readonly holder: {
    readonly pid: number;
    readonly started_at: string;
    readonly address: string | null;
  } | null;
  readonly applied: readonly MigrationName[];
  readonly pending: readonly MigrationName[];
  /** What the clock of the server is ahead of ours, in milliseconds; null for a file, which has ours. */
  readonly clock_ahead_ms: number | null;
};

export async function dbStatus(config: Config): Promise<DbStatus> {
  const where = placeOf(config.store);
  if (where.type === 'sqlite') {
    const { inspectStore } = await import('../store/sqlite/inspect.ts');
    const { path, exists, size_bytes, log_bytes, holder, applied, pending } = inspectStore(where.path);
    return {
      ...{ type: 'sqlite', place: path, exists, size_bytes: size_bytes + log_bytes, holder },
      ...{ applied: applied.map(named), pending: pending.map(named), clock_ahead_ms: null },
    };
  }
  const { migrationStatus } = await import('../store/postgres/migrate.ts');
  const before = Date.now();
  const { applied, pending, now } = await migrationStatus(postgres(where));
  const ours = (before + Date.now()) / 2;
  return {
    ...{ type: 'postgres', place: withoutPassword(where.url), exists: applied.length > 0, size_bytes: null },
    ...{ holder: null, applied: applied.map(named), pending: pending.map(named) },
    clock_ahead_ms: Math.round(now - ours),
  };
}

/** Brings the store to the newest version; answers with what was done. */
export async function dbMigrate(config: Config): Promise<readonly MigrationName[]> {
  const where = placeOf(config.store);
  if (where.type === 'sqlite') {
    const { migrateStore } = await import('../store/sqlite/inspect.ts');
    return migrateStore(where.path).map(named);
  }
  const { migrateUp } = await import('../store/postgres/migrate.ts');
  return (await migrateUp({ ...postgres(where), logger: commandLogger(config) })).map(named);
}

/** Copies the store into a file while it is in use. */
export async function dbBackup(config: Config, target: string): Promise<{ readonly size_bytes: number }> {
  const where = placeOf(config.store);
  if (where.type === 'sqlite') {
    const { backupStore } = await import('../store/sqlite/backup.ts');
    return backupStore(where.path, target);
  }
  throw new GleitzeitError('GLZ1012', 'a Postgres store is backed up with the tools of Postgres', {
    hint: `pg_dump --schema=${where.schema ?? SCHEMA} --format=custom --file=${target} '${withoutPassword(where.url)}'`,
  });
}

const SCHEMA = 'gleitzeit';

function postgres({ url, schema = SCHEMA }: Extract<Place, { type: 'postgres' }>) {
  return { url, schema, timers: systemTimers };
}

function named({ version, name }: MigrationName): MigrationName {
  return { version, name };
}

export function withoutPassword(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return 'a Postgres server';
  parsed.password = '';
  parsed.search = '';
  return parsed.href;
}
