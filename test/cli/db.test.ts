import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { freshDatabase } from '../services/fresh-database.ts';
import { chain, openPlace, type Place } from './place.ts';
import { published } from './published.ts';

let place: Place;
beforeEach(() => {
  place = openPlace();
});
afterEach(() => place.close());

describe('gleitzeit db', () => {
  it('tells of a store before it is there, makes it, and tells of it then', async () => {
    const before = published('db_status', (await place.run('db', 'status', '-o', 'json')).stdout);
    expect(before).toMatchObject({ type: 'sqlite', exists: false, holder: null, applied: [] });
    const dry = published(
      'db_migrated',
      (await place.run('db', 'migrate', '--dry-run', '-o', 'json')).stdout,
    );
    expect(dry).toEqual({ dry_run: true, migrations: before.pending });
    expect(published('db_status', (await place.run('db', 'status', '-o', 'json')).stdout).exists).toBe(false);
    const done = published('db_migrated', (await place.run('db', 'migrate', '-o', 'json')).stdout);
    expect(done).toEqual({ dry_run: false, migrations: before.pending });
    const after = published('db_status', (await place.run('db', 'status', '-o', 'json')).stdout);
    expect(after).toMatchObject({ exists: true, applied: before.pending, pending: [] });
  });

  it('copies a store while a run writes to it, and the copy goes on from there', async () => {
    place.write('a.yaml', chain('a', [['one'], ['two', { gate: 'go' }]]));
    const run = place.start('run', 'a.yaml');
    await run.said(/two: running/);
    const { stdout } = await place.run('db', 'status', '-o', 'json');
    expect(JSON.parse(stdout).holder).toMatchObject({ address: expect.stringMatching(/^unix:/) });
    const backup = await place.run('db', 'backup', 'copy.db', '-o', 'json');
    expect(backup.status, backup.stderr).toBe(0);
    published('db_backup', backup.stdout);
    expect(statSync(join(place.folder, 'copy.db')).mode & 0o777).toBe(0o600);
    writeFileSync(join(place.folder, 'go'), '');
    expect((await run.ended).status).toBe(0);
    place.write('copy.yaml', { store: { type: 'sqlite', path: 'copy.db' } });
    const listed = await place.run('list', '--config', 'copy.yaml', '-o', 'json');
    expect(JSON.parse(listed.stdout).items, listed.stderr).toMatchObject([{ name: 'a', status: 'running' }]);
  });

  it('does not write over anything', async () => {
    await place.run('db', 'migrate');
    place.write('taken.db', 'mine');
    const nowhere = await place.run('db', 'backup', 'no/such/copy.db');
    expect(nowhere.status).toBe(6);
    expect(nowhere.stderr).toContain('there is no folder');
    expect(existsSync(join(place.folder, 'no'))).toBe(false);
    const { status, stderr } = await place.run('db', 'backup', 'taken.db');
    expect([status, stderr]).toEqual([8, expect.stringContaining('not overwritten')]);
  });

  it('says how Postgres is backed up, without its password, and how far its tables are', async () => {
    const database = await freshDatabase(inject('postgresUrl'));
    const { url } = database;
    const withSecret = new URL(url);
    withSecret.password ||= 'swordfish';
    place.write('gleitzeit.yaml', { store: { type: 'postgres', url } });
    const status = published('db_status', (await place.run('db', 'status', '-o', 'json')).stdout);
    expect(status).toMatchObject({ type: 'postgres', exists: false, holder: null });
    expect(Math.abs(status.clock_ahead_ms)).toBeLessThan(5000);
    const migrated = await place.run('db', 'migrate', '-o', 'json');
    expect(JSON.parse(migrated.stdout).migrations).toEqual(status.pending);
    place.write('gleitzeit.yaml', { store: { type: 'postgres', url: withSecret.href } });
    const { status: code, stderr } = await place.run('db', 'backup', 'copy.dump');
    expect([code, stderr]).toEqual([2, expect.stringContaining('pg_dump --schema=gleitzeit')]);
    expect(stderr).not.toContain(withSecret.password);
    await database.drop();
  });
});

describe('gleitzeit doctor', () => {
  it('finds everything in order, and says so for programs too', async () => {
    place.write('a.yaml', chain('a', [['one']]));
    await place.run('run', 'a.yaml');
    const { status, stdout } = await place.run('doctor', '-o', 'json');
    const { healthy, findings } = published('doctor', stdout);
    expect([status, healthy], stdout).toEqual([0, true]);
    const checks = new Set(findings.map(({ check }: { check: string }) => check));
    expect([...checks]).toEqual(['node', 'config', 'store', 'disk', 'port', 'providers', 'keys', 'broker']);
    expect(stdout).toMatch(/steps \(jsonrpc-stdio\) for steps\/v1 answers/);
  });

  it('finds a file where the folder of the store belongs', async () => {
    place.write('gleitzeit.yaml', 'store: {type: sqlite, path: kept/store.db}\n');
    place.write('kept', 'not a folder');
    const { status, stdout } = await place.run('doctor', 'store', '-o', 'jsonl');
    expect(status).toBe(1);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('kept is a file'),
    });
  });

  it('tells a mistake in the configuration with its place', async () => {
    place.write('gleitzeit.yaml', 'store:\n  typ: sqlite\n');
    const { status, stdout } = await place.run('doctor');
    expect(status).toBe(1);
    expect(stdout).toMatch(/✗ problem +config +gleitzeit\.yaml:2:3/);
  });

  it('finds a provider that cannot be started, a port that is taken, a key that others may read', async () => {
    await place.run('db', 'migrate');
    place.write('.gleitzeit/secret.key', 'x');
    chmodSync(join(place.folder, '.gleitzeit/secret.key'), 0o644);
    const other = place.start('serve');
    await other.said(/"message":"listening"/);
    const [, port = ''] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(other.stderr()) ?? [];
    place.write('bad.yaml', {
      server: { port: Number(port) },
      store: { type: 'sqlite', path: 'elsewhere/store.db' },
      protocols: [
        {
          name: 'x/v1',
          methods: { m: { params: { type: 'object' }, returns: { type: 'object' } } },
          providers: [{ id: 'gone', type: 'jsonrpc-stdio', config: { command: ['no-such-program-here'] } }],
        },
      ],
    });
    const { status, stdout } = await place.run('doctor', '--config', 'bad.yaml', '-o', 'json');
    expect(status).toBe(1);
    const found = JSON.parse(stdout).findings as {
      check: string;
      status: string;
      message: string;
      hint: string | null;
    }[];
    expect(found.find(({ check }) => check === 'providers')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('gone'),
    });
    expect(found.find(({ check }) => check === 'port')).toMatchObject({ status: 'warning' });
    const keys = await place.run('doctor', 'keys', '-o', 'json');
    expect(JSON.parse(keys.stdout).findings.at(-1)).toMatchObject({
      status: 'problem',
      hint: expect.stringContaining('chmod 600'),
    });
  });
});
