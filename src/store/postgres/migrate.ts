import pg from 'pg';
import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import {
  type AppliedMigration,
  loadMigrations,
  type Migration,
  oldestBeside,
  pendingMigrations,
} from '../migrations.ts';
import { untilNobodyWorks } from './at-work.ts';
import { type Place, placeName, sqlStateOf, storeError } from './errors.ts';
import { text } from './rows.ts';
import { placeOf, Session } from './session.ts';
import type { Query, Statement } from './statement.ts';

export type MigrateOptions = { readonly url: string; readonly timers: Timers; readonly schema: string };
/** Who waits says for whom. */
export type MigrateUpOptions = MigrateOptions & { readonly logger: Pick<Logger, 'warn'> };

const lock: Statement = {
  name: 'lock',
  text: `SELECT pg_advisory_lock(hashtextextended('gleitzeit ' || $1::text, 0))`,
};
const tableNames: Statement = {
  name: 'table_names',
  text: `SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1::text AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`,
};
const application: Statement = {
  name: 'application',
  text: `SELECT value FROM meta WHERE key = 'application'`,
};
const applied: Statement = {
  name: 'applied',
  text: 'SELECT version, name, checksum FROM schema_migration ORDER BY version',
};
const serverNow: Statement = {
  name: 'server_now',
  text: `SELECT current_setting('server_version'), extract(epoch FROM clock_timestamp()) * 1000`,
};
const record: Statement = {
  name: 'record_migration',
  text: 'INSERT INTO schema_migration (version, name, checksum) VALUES ($1::integer, $2::text, $3::text)',
};
/** What programs find that know less than all of it; stores of before have no such word, and let nobody stay. */
const oldest: Statement = {
  name: 'oldest_program',
  text: `SELECT value FROM meta WHERE key = 'oldest_program'`,
};
const leaveWord: Statement = {
  name: 'leave_word',
  text: `INSERT INTO meta (key, value) VALUES ('oldest_program', $1::text) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
};
const forget: Statement = {
  name: 'forget_migration',
  text: 'DELETE FROM schema_migration WHERE version = $1::integer',
};

/** By these names a schema that somebody else made is told from an empty one. */
const ourTables = new Set([
  ...['schema_migration', 'meta', 'feed', 'task', 'task_body', 'run', 'run_input', 'payload'],
  ...['ready', 'held', 'listed', 'event', 'idempotency', 'engine', 'document', 'tally', 'agents'],
]);

/**
 * Brings the store to the newest version. Two at once are fine: the second waits, and finds nothing left to do. Where
 * engines of an earlier version could not go on beside it, it waits until they are gone, and refuses where they stay.
 */
export function migrateUp(
  options: MigrateUpOptions,
  all: readonly Migration[] = loadMigrations('postgres'),
): Promise<readonly Migration[]> {
  return withSession(options, async (session, place) => {
    if (pendingIn(all, await appliedIn(session, place)).length === 0) return [];
    await session.rows(lock, [options.schema]);
    const found = await appliedIn(session, place);
    const pending = pendingIn(all, found);
    const newest = found.applied.at(-1)?.version ?? 0;
    if (newest > 0 && oldestBeside(pending) > newest) await untilNobodyWorks(session, options);
    for (const [index, migration] of pending.entries()) {
      const before = newest === 0 && index === 0 ? creation(options.schema) : '';
      const { version, name, checksum } = migration;
      await step(session, before + migration.up, [
        { statement: record, values: [version, name, checksum] },
        word(all.filter((one) => one.version <= version)),
      ]);
    }
    return pending;
  });
}

function pendingIn(all: readonly Migration[], { applied, oldest: word }: Found): Migration[] {
  return pendingMigrations(all, applied, word);
}

function word(applied: readonly Migration[]): Query {
  return { statement: leaveWord, values: [String(oldestBeside(applied))] };
}

export type MigrationStatus = {
  readonly applied: readonly AppliedMigration[];
  readonly pending: readonly Migration[];
  /** The server's own version. */
  readonly server: string;
  /** Its clock, in milliseconds, when it was asked. */
  readonly now: number;
};

/** How far the store is, without changing anything. */
export function migrationStatus(options: MigrateOptions): Promise<MigrationStatus> {
  return withSession(options, async (session, place) => {
    const found = await appliedIn(session, place);
    const [[server, now] = []] = await session.rows(serverNow);
    const pending = pendingIn(loadMigrations('postgres'), found);
    return { applied: found.applied, pending, server: text(server), now: Number(now) };
  });
}

/** Takes the store back to version `target`; 0 leaves nothing of it but the empty schema. */
export function migrateDown(
  options: MigrateOptions,
  target: number,
  all: readonly Migration[] = loadMigrations('postgres'),
): Promise<readonly Migration[]> {
  return withSession(options, async (session, place) => {
    await session.rows(lock, [options.schema]);
    const { applied: done } = await appliedIn(session, place);
    // Whoever may stay on a newer store cannot take it back.
    pendingMigrations(all, done);
    const versions = new Set(done.map(({ version }) => version));
    const undone = all.filter(({ version }) => version > target && versions.has(version)).reverse();
    for (const { version, down } of undone) {
      const left = all.filter((one) => one.version < version);
      // The first one takes the table of words along.
      const words = left.length === 0 ? [] : [word(left)];
      await step(session, down, [{ statement: forget, values: [version] }, ...words]);
    }
    if (undone.length === done.length && undone.length > 0)
      await session.script('DROP TABLE schema_migration');
    return undone;
  });
}

async function withSession<Answer>(
  options: MigrateOptions,
  run: (session: Session, place: Place) => Promise<Answer>,
): Promise<Answer> {
  const place = placeOf(options);
  try {
    const session = await Session.open({ ...options, role: 'migration' });
    try {
      return await run(session, place);
    } finally {
      // Ends the advisory lock as well.
      await session.end();
    }
  } catch (thrown) {
    throw storeError(thrown, place);
  }
}

/** What was applied, and who may stay: programs that know version `oldest`. */
type Found = { readonly applied: readonly AppliedMigration[]; readonly oldest: number };

const nothing: Found = { applied: [], oldest: Number.POSITIVE_INFINITY };

/** What was applied to this schema; nothing where it is empty, or not there. */
async function appliedIn(session: Session, place: Place): Promise<Found> {
  const names = (await session.rows(tableNames, [place.schema])).map(([name]) => text(name));
  if (!names.some((name) => ourTables.has(name))) return nothing;
  if (!names.includes('schema_migration') || !names.includes('meta')) throw foreign(place);
  try {
    const [[owner] = []] = await session.rows(application);
    if (owner !== 'gleitzeit') throw foreign(place);
    const rows = await session.rows(applied);
    const [[stay] = []] = await session.rows(oldest);
    return {
      applied: rows.map(([version, name, checksum]) => ({
        ...{ version: Number(version), name: text(name), checksum: text(checksum) },
      })),
      oldest: stay === undefined ? nothing.oldest : Number(stay),
    };
  } catch (thrown) {
    throw sqlStateOf(thrown)?.startsWith('42') ? foreign(place) : thrown;
  }
}

function foreign(place: Place): GleitzeitError {
  return new GleitzeitError('GLZ3006', `the schema holds tables of another program: ${placeName(place)}`, {
    reason: 'it has tables with names of ours that gleitzeit did not make',
    hint: 'use another database, or name another schema',
  });
}

function creation(schema: string): string {
  return `CREATE SCHEMA IF NOT EXISTS ${pg.escapeIdentifier(schema)};
    CREATE TABLE schema_migration (version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now());`;
}

/** One migration and its record, both or neither. */
async function step(session: Session, sql: string, written: readonly Query[]): Promise<void> {
  await session.script('BEGIN');
  try {
    await session.script(sql);
    await session.all(written);
    await session.script('COMMIT');
  } catch (thrown) {
    await session.script('ROLLBACK').catch(() => undefined);
    throw thrown;
  }
}
