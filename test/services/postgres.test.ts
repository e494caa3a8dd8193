import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freshDatabase, type Postgres, startPostgres } from './postgres.ts';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  // A crash of the server is part of these tests, and reaches an open connection as an error event.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

describe('the shared server', () => {
  it('gives each caller an empty database of its own', async () => {
    const one = await freshDatabase(inject('postgresUrl'));
    const two = await freshDatabase(inject('postgresUrl'));
    await query(one.url, 'CREATE TABLE only_here (n int)');
    const tables = "SELECT count(*)::int AS n FROM pg_tables WHERE tablename = 'only_here'";
    expect(await query(one.url, tables)).toEqual([{ n: 1 }]);
    expect(await query(two.url, tables)).toEqual([{ n: 0 }]);
    await one.drop();
    await two.drop();
    await expect(query(one.url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
  });

  it('drops a database that still has a connection', async () => {
    const database = await freshDatabase(inject('postgresUrl'));
    const client = new pg.Client({ connectionString: database.url });
    const cutOff = new Promise<Error>((resolve) => client.on('error', resolve));
    await client.connect();
    await database.drop();
    expect((await cutOff).message).toMatch(/terminat/);
  });
});

describe('a server of its own', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
    await query(postgres.url, 'CREATE TABLE kept (n int)');
  });
  afterAll(() => postgres.stop());

  it.each(['crash', 'kill'] as const)('keeps what was committed over a %s and a restart', async (end) => {
    await query(postgres.url, 'TRUNCATE kept');
    await query(postgres.url, 'INSERT INTO kept VALUES (1)');
    await postgres[end]();
    await expect(query(postgres.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await postgres.restart();
    expect(await query(postgres.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  });

  it('restarts while it runs, on the same address', async () => {
    await postgres.restart();
    expect(await query(postgres.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('takes settings', async () => {
    const other = await startPostgres({ settings: { work_mem: '7MB' } });
    expect(await query(other.url, 'SHOW work_mem')).toEqual([{ work_mem: '7MB' }]);
    await other.stop();
  });

  it('fails at once with its log when it cannot start', async () => {
    await expect(startPostgres({ settings: { shared_buffers: 'much' } })).rejects.toThrow(/shared_buffers/);
  });

  it.runIf(process.platform === 'linux')('dies with a process that is killed with -9', async () => {
    // The folder of a process killed with -9 stays behind; here it is put where it can be removed.
    const folder = await mkdtemp(join(tmpdir(), 'gleitzeit-killed-'));
    await chmod(folder, 0o755);
    const env = { ...process.env, TMPDIR: folder };
    const child = fork(new URL('./start-and-tell.ts', import.meta.url), { execArgv: [], env });
    const [url] = await once(child, 'message');
    expect(await query(String(url), 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    child.kill('SIGKILL');
    await once(child, 'close');
    await expect
      .poll(() =>
        query(String(url), 'SELECT 1').then(
          () => 'up',
          () => 'gone',
        ),
      )
      .toBe('gone');
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });
});
