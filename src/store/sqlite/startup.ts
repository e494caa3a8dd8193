import type { DatabaseSync } from 'node:sqlite';

/**
 * Nobody else can hold the store, so whatever engines it knows are gone: the first rescue takes back what they held.
 * Those that hold nothing any more are forgotten.
 */
export function expireEngines(db: DatabaseSync): void {
  db.exec(`
    BEGIN IMMEDIATE;
    UPDATE engine SET alive_until = -1 WHERE alive_until IS NOT NULL;
    DELETE FROM engine WHERE alive_until IS NULL
      AND e NOT IN (SELECT owner FROM task WHERE owner IS NOT NULL);
    COMMIT`);
}
