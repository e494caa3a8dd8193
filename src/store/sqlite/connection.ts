import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Values } from './rows.ts';
import { isOurs } from './schema.ts';

/** What a page cache may hold, in KiB. Two connections are open, so twice this is the most the store keeps in memory. */
const CACHE_KIB = 16 * 1024;

/**
 * WAL with synchronous=FULL: a commit is on the disk before it is answered, and readers never wait for the writer.
 * Checkpoints are asked for (held-store.ts), never made inside a commit.
 */
export function connect(path: string, { readOnly = false }: { readOnly?: boolean } = {}): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly, timeout: 5000, enableForeignKeyConstraints: false });
  try {
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF`);
    // Before the first change: the database of another program stays as it is.
    isOurs(db, path);
    if (!readOnly)
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

export type Query = {
  first(...values: readonly Value[]): Values | undefined;
  all(...values: readonly Value[]): readonly Values[];
  run(...values: readonly Value[]): void;
};

export type Value = string | number | null;

/** A statement that answers rows as plain lists of values: half the cost of objects. */
export function prepare(db: Pick<DatabaseSync, 'prepare'>, sql: string): Query {
  const statement: StatementSync = db.prepare(sql);
  statement.setReturnArrays(true);
  return {
    first: (...values) => statement.get(...values) as Values | undefined,
    all: (...values) => statement.all(...values) as unknown as readonly Values[],
    // Half the cost of the driver's own run, which answers with a record of what changed.
    run: (...values) => void statement.get(...values),
  };
}

/** How many rows one statement inserts: beyond this, a longer statement gains nothing. */
const ROWS_AT_ONCE = 16;

export type Insert = (rows: readonly (readonly Value[])[]) => void;

/** Inserts any number of rows, many with each statement. `sql` ends with the values of one row. */
export function prepareInsert(db: Pick<DatabaseSync, 'prepare'>, sql: string): Insert {
  const at = sql.lastIndexOf('VALUES') + 'VALUES'.length;
  const one = db.prepare(sql);
  const many = db.prepare(sql.slice(0, at) + Array(ROWS_AT_ONCE).fill(sql.slice(at)).join(','));
  return (rows) => {
    let next = 0;
    while (next + ROWS_AT_ONCE <= rows.length) {
      const values: Value[] = [];
      for (const end = next + ROWS_AT_ONCE; next < end; next++) {
        for (const value of rows[next] ?? []) values.push(value);
      }
      many.get(...values);
    }
    for (; next < rows.length; next++) one.get(...(rows[next] ?? []));
  };
}
