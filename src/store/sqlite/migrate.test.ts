import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { loadMigrations, type Migration } from '../migrations.ts';
import { lone } from '../suite/build.suite.ts';
import { checkUpgraded, fill } from '../suite/upgrade.suite.ts';
import { connect } from './connection.ts';
import { migrate, migrateDown } from './migrate.ts';
import { openAt, refusal, temporaryPath } from './testing.suite.ts';

const known = loadMigrations('sqlite');
const further: Migration = {
  version: known.length + 1,
  name: 'further',
  up: 'CREATE TABLE more (n INTEGER)',
  down: 'DROP TABLE more',
  checksum: 'c2',
  beside: 2,
};
const withFurther = [...known, further];

describe('migrations', { timeout: 60_000 }, () => {
  it('go up and down again, and leave no table behind', () => {
    const path = temporaryPath();
    up(path);
    expect(tables(path)).toContain('task');
    migrateDown(path, 0);
    expect(tables(path)).toEqual(['migration']);
    up(path);
    expect(tables(path)).toContain('task');
  });

  it('are applied from where the store is', () => {
    const path = temporaryPath();
    up(path);
    up(path, withFurther);
    expect(tables(path)).toContain('more');
    migrateDown(path, known.length, withFurther);
    expect(tables(path)).not.toContain('more');
    expect(tables(path)).toContain('task');
  });

  it('bring a store of the first version up to date, with all that is in it', async () => {
    const path = temporaryPath();
    const before = await openAt(path);
    await fill(before);
    await before.close();
    migrateDown(path, 1);
    expect(columns(path, 'run')).not.toContain('retry_of');
    expect(columns(path, 'runs')).not.toContain('retry_of');
    const after = await openAt(path);
    await checkUpgraded(after);
    expect(columns(path, 'runs')).toContain('retry_of');
  });

  it('are applied wholly or not at all', () => {
    const path = temporaryPath();
    up(path);
    const broken = { ...further, up: 'CREATE TABLE more (n INTEGER); CREATE TABLE task (n INTEGER)' };
    expect(() => up(path, [...known, broken])).toThrow('task');
    expect(tables(path)).not.toContain('more');
  });

  it('of a newer program are not opened', async () => {
    const path = temporaryPath();
    up(path, withFurther);
    expect((await refusal(openAt(path))).code).toBe('GLZ3007');
    expect((await refusal(openAt(path, { readonly: true }))).code).toBe('GLZ3007');
    expect(() => migrateDown(path, 0)).toThrow(GleitzeitError);
  });

  it('that were changed afterwards are noticed', async () => {
    const path = temporaryPath();
    up(path);
    const db = new DatabaseSync(path);
    db.exec("UPDATE migration SET checksum = 'other'");
    db.close();
    expect((await refusal(openAt(path))).code).toBe('GLZ3008');
  });

  it('are not made for whoever only reads', async () => {
    const path = temporaryPath();
    up(path);
    migrateDown(path, 0);
    expect((await refusal(openAt(path, { readonly: true }))).code).toBe('GLZ3004');
  });

  it('are not taken back while someone holds the store, nor where there is none', async () => {
    const path = temporaryPath();
    const store = await openAt(path);
    await store.commit({ writes: [{ kind: 'submit', runs: [lone('t1')] }], claim: null });
    expect(() => migrateDown(path, 0)).toThrow('in use');
    expect(() => migrateDown(temporaryPath(), 0)).toThrow('there is no store');
  });
});

function up(path: string, migrations: readonly Migration[] = known): void {
  const db = connect(path);
  try {
    migrate(db, { path, migrations });
  } finally {
    db.close();
  }
}

function columns(path: string, table: string): unknown[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return db
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map(({ name }) => name);
  } finally {
    db.close();
  }
}

function tables(path: string): unknown[] {
  const db = new DatabaseSync(path);
  try {
    const rows = db.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1",
    );
    return rows.all().map(({ name }) => name);
  } finally {
    db.close();
  }
}
