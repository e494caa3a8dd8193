import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { freePort } from '../../../test/services/free-port.ts';
import { type FreshDatabase, freshDatabase, startPostgres } from '../../../test/services/postgres.ts';
import { loadMigrations } from '../migrations.ts';
import { lone } from '../suite/build.suite.ts';
import { checkUpgraded, fill } from '../suite/upgrade.suite.ts';
import { openAt, query, timers } from './harness.suite.ts';
import { Session } from './session.ts';
import { migrateDown } from './store.ts';

let database: FreshDatabase;
beforeEach(async () => {
  database = await freshDatabase(inject('postgresUrl'));
});
afterEach(() => database.drop());

function withUser(url: string, user: string, password: string): string {
  const changed = new URL(url);
  changed.username = user;
  changed.password = password;
  return changed.href;
}

/** Opens what cannot be opened, and answers the error with everything it says. */
async function refusal(url: string, options = {}): Promise<{ code: string; said: string }> {
  try {
    await (await openAt(url, options)).close();
  } catch (thrown) {
    const error = thrown as Error & { code: string; details: object };
    return { code: error.code, said: `${error.message} ${JSON.stringify(error.details)}` };
  }
  throw new Error('it was opened');
}

describe('opening a store on Postgres', () => {
  it('makes the tables, and finds them again', async () => {
    const store = await openAt(database.url);
    await store.commit({ writes: [{ kind: 'submit', runs: [lone('t1')] }], claim: null });
    await store.close();
    const again = await openAt(database.url);
    expect((await again.reads.task('t1'))?.task.status).toBe('queued');
    await again.close();
  });

  it('by several at once makes the tables once', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => openAt(database.url, { poolSize: 1 })));
    await Promise.all(stores.map((store) => store.close()));
    const made = await query(database.url, 'SELECT version FROM gleitzeit.schema_migration ORDER BY 1');
    expect(made).toEqual(loadMigrations('postgres').map(({ version }) => ({ version })));
  });

  it('brings a store of the first version up to date, with all that is in it', async () => {
    const before = await openAt(database.url);
    await fill(before);
    await before.close();
    await migrateDown({ url: database.url, timers }, 1);
    // Whoever worked on it has stopped: what is to come has to be alone.
    await query(database.url, 'DELETE FROM gleitzeit.engine');
    const columns = `SELECT 1 FROM information_schema.columns WHERE column_name = 'retry_of'
      UNION ALL SELECT 1 FROM information_schema.tables WHERE table_name = 'tally'`;
    expect(await query(database.url, columns)).toEqual([]);
    const after = await openAt(database.url);
    await checkUpgraded(after);
    await after.close();
  });

  it('keeps stores in other schemas apart', async () => {
    const one = await openAt(database.url, { schema: 'one' });
    const two = await openAt(database.url, { schema: 'Two "quoted"' });
    await one.commit({ writes: [{ kind: 'submit', runs: [lone('t1')] }], claim: null });
    expect(await two.reads.task('t1')).toBeNull();
    await one.close();
    await two.close();
  });

  it('says who it is to the server', async () => {
    const store = await openAt(database.url);
    await store.commit({ writes: [{ kind: 'submit', runs: [lone('t1')] }], claim: null });
    const names = await query(
      database.url,
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'gleitzeit %' ORDER BY 1`,
    );
    expect(names.map(({ name }) => name)).toEqual([
      'gleitzeit listener',
      'gleitzeit reader',
      'gleitzeit writer',
    ]);
    await store.close();
  });

  it('waits for the disk, whatever the database says', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await query(database.url, `ALTER DATABASE ${name} SET synchronous_commit = off`);
    const session = await Session.open({ url: database.url, schema: 'any', timers, role: 'writer' });
    const shown = await session.rows({ name: 'show', text: 'SHOW synchronous_commit' });
    expect(shown).toEqual([['on']]);
    await session.end();
  });

  it('goes back to nothing, and forward again', async () => {
    await (await openAt(database.url)).close();
    await migrateDown({ url: database.url, timers }, 0);
    const left = await query(
      database.url,
      `SELECT relname FROM pg_class WHERE relnamespace = 'gleitzeit'::regnamespace
        UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'gleitzeit'::regnamespace`,
    );
    expect(left).toEqual([]);
    await (await openAt(database.url)).close();
  });
});

describe('a store that cannot be opened', () => {
  it('because the server is down, says where it looked and never the password', async () => {
    const port = await freePort();
    const { code, said } = await refusal(`postgres://ada:s3cret@127.0.0.1:${port}/work`);
    expect(code).toBe('GLZ3001');
    expect(said).toContain(`127.0.0.1:${port}/work`);
    expect(said).toContain('ECONNREFUSED');
    expect(said).not.toContain('s3cret');
  });

  it('because there is no such database, says so', async () => {
    const url = new URL(database.url);
    url.pathname = '/nowhere';
    const { code, said } = await refusal(url.href);
    expect(code).toBe('GLZ3001');
    expect(said).toContain('has no such database');
    expect(said).toContain('/nowhere');
  });

  it('because the url cannot be read, does not repeat it', async () => {
    for (const url of ['postgres://ada:s3cret@[/x', 's3cret', 'mysql://ada:s3cret@localhost/x']) {
      const { code, said } = await refusal(url);
      expect(code).toBe('GLZ1012');
      expect(said).not.toContain('s3cret');
    }
  });

  it('because the password is wrong, says so without it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gleitzeit-hba-'));
    await chmod(folder, 0o755);
    const hba = join(folder, 'pg_hba.conf');
    await writeFile(hba, 'host all ada 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n');
    const postgres = await startPostgres({ settings: { hba_file: hba } });
    try {
      await query(postgres.url, `CREATE ROLE ada LOGIN SUPERUSER PASSWORD 'r1ght'`);
      const { code, said } = await refusal(withUser(postgres.url, 'ada', 's3cret'));
      expect(code).toBe('GLZ3001');
      expect(said).toContain('refuses the user or the password');
      expect(said).not.toContain('s3cret');
      await (await openAt(withUser(postgres.url, 'ada', 'r1ght'))).close();
    } finally {
      await postgres.stop();
      await rm(folder, { recursive: true });
    }
  });

  it('because the server only lets us read', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await query(database.url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const { code, said } = await refusal(database.url);
    expect(code).toBe('GLZ3004');
    expect(said).toContain('default_transaction_read_only');
  });

  it('because the user may not make tables', async () => {
    const role = `reader_${Date.now()}`;
    await query(database.url, `CREATE ROLE ${role} LOGIN`);
    const { code, said } = await refusal(withUser(database.url, role, ''));
    expect(code).toBe('GLZ3004');
    expect(said).toContain('permission denied');
    await query(database.url, `DROP ROLE ${role}`);
  });

  it.each([
    'CREATE TABLE task (id int)',
    'CREATE TABLE schema_migration (id int); CREATE TABLE meta (id int)',
  ])('because the schema is somebody else’s: %s', async (sql) => {
    await query(database.url, `CREATE SCHEMA gleitzeit; SET search_path TO gleitzeit; ${sql}`);
    const { code } = await refusal(database.url);
    expect(code).toBe('GLZ3006');
  });

  it('because a newer version wrote it', async () => {
    await (await openAt(database.url)).close();
    await query(
      database.url,
      `INSERT INTO gleitzeit.schema_migration (version, name, checksum) VALUES (9999, 'later', 'x');
        UPDATE gleitzeit.meta SET value = '9999' WHERE key = 'oldest_program'`,
    );
    expect((await refusal(database.url)).code).toBe('GLZ3007');
  });

  it('because it was made by other migrations', async () => {
    await (await openAt(database.url)).close();
    await query(database.url, `UPDATE gleitzeit.schema_migration SET checksum = 'other'`);
    expect((await refusal(database.url)).code).toBe('GLZ3008');
  });
});
