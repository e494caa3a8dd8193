import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../../test/services/postgres.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { loadMigrations, type Migration } from '../migrations.ts';
import { query, timers } from './harness.suite.ts';
import { migrateDown, migrateUp, migrationStatus } from './migrate.ts';

let database: FreshDatabase;
beforeEach(async () => {
  database = await freshDatabase(inject('postgresUrl'));
});
afterEach(() => database.drop());

const today = loadMigrations('postgres');
const newest = today.length;
const warned: unknown[] = [];
const logger = { warn: (...words: unknown[]) => void warned.push(words) };
const where = () => ({ url: database.url, timers, schema: 'gleitzeit', logger });

function later(version: number, beside: number): Migration {
  const name = `later_${version}`;
  const up = `CREATE TABLE ${name} (n integer)`;
  return { version, name, up, down: `DROP TABLE ${name}`, checksum: name, beside };
}

const codeOf = async (doing: Promise<unknown>) =>
  doing.then(
    () => 'done',
    (thrown: unknown) => GleitzeitError.from(thrown).code,
  );

const engine = (owner: string, until: string) =>
  query(
    database.url,
    `INSERT INTO gleitzeit.engine (owner, alive_until) VALUES ('${owner}', gleitzeit.now_ms() + ${until})
      ON CONFLICT (owner) DO UPDATE SET alive_until = excluded.alive_until`,
  );

describe('versions side by side on one store', () => {
  it('a program may be started on tables that are newer than it, where they were made for that', async () => {
    const next = [...today, later(newest + 1, newest), later(newest + 2, newest)];
    await migrateUp(where(), today);
    await engine('at work', '600000');
    expect((await migrateUp(where(), next)).map(({ version }) => version)).toEqual([newest + 1, newest + 2]);
    expect(await migrateUp(where(), today)).toEqual([]);
    expect((await migrationStatus(where())).applied).toHaveLength(newest + 2);
    expect(await codeOf(migrateUp(where(), today.slice(0, -1)))).toBe('GLZ3007');
    // Whoever may stay on it cannot take it back.
    expect(await codeOf(migrateDown(where(), 0, today))).toBe('GLZ3007');
  });

  it('and not where one of the changes shuts it out, until that is taken back', async () => {
    const next = [...today, later(newest + 1, newest), later(newest + 2, newest + 1)];
    await migrateUp(where(), next);
    expect(await codeOf(migrateUp(where(), today))).toBe('GLZ3007');
    expect(await migrateUp(where(), next.slice(0, -1))).toEqual([]);
    await migrateDown(where(), newest + 1, next);
    expect(await migrateUp(where(), today)).toEqual([]);
  });

  it('a change that has to be alone waits for engines that were killed', async () => {
    await migrateUp(where(), today);
    await engine('killed', '1200');
    const next = [...today, later(newest + 1, newest + 1)];
    warned.length = 0;
    expect(await migrateUp(where(), next)).toHaveLength(1);
    // Once, and not with every look.
    expect(warned).toEqual([[expect.stringContaining('has to be alone'), { engines: 'killed' }]]);
    const left = await query(
      database.url,
      'SELECT 1 FROM gleitzeit.engine WHERE alive_until > gleitzeit.now_ms()',
    );
    expect(left).toEqual([]);
  });

  it('and is refused while one goes on working, with its name', async () => {
    await migrateUp(where(), today);
    await engine('at work', '600000');
    const next = [...today, later(newest + 1, newest + 1)];
    const trying = migrateUp(where(), next).catch((thrown: unknown) => GleitzeitError.from(thrown));
    let said: unknown;
    void trying.then((answer) => {
      said = answer;
    });
    for (let beat = 1; said === undefined; beat++) await engine('at work', String(600_000 + beat));
    expect(await trying).toMatchObject({ code: 'GLZ3002', message: expect.stringContaining('at work') });
    expect((await migrationStatus(where())).applied).toHaveLength(newest);
  });
});
