import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { loadMigrations } from '../migrations.ts';
import { applySql } from './apply.ts';
import { taskSql } from './apply-tasks.ts';
import { carrySql } from './carry.ts';
import { claimSql } from './claim.ts';
import { eventSql } from './event-reads.ts';
import { inputSql } from './inputs.ts';
import { Lists } from './lists.ts';
import { logSql } from './log.ts';
import { pruneSql } from './prune.ts';
import { readSql } from './reads.ts';
import { sourceSql } from './source.ts';
import { statsSql } from './stats.ts';

/** Tables that stay small, lists that were handed in, and what was found through an index before. */
const small = /^SCAN (line$|meta|engine|shape|j VIRTUAL|json_each VIRTUAL|CONSTANT ROW|\(subquery-\d+\))/;

const statements = Object.entries({
  source: sourceSql,
  apply: applySql,
  task: taskSql,
  log: logSql,
  claim: claimSql,
  carry: carrySql,
  prune: pruneSql,
  read: readSql,
  event: eventSql,
  input: { input: inputSql },
  stats: statsSql,
}).flatMap(([group, queries]) =>
  Object.entries(queries).map(([name, sql]) => [`${group}.${name}`, sql] as const),
);

describe('the plan of', () => {
  const db = new DatabaseSync(':memory:');
  for (const { up } of loadMigrations('sqlite')) db.exec(up);

  it.each(statements)('%s goes through an index', (_name, sql) => {
    expect(scans(db, sql)).toEqual([]);
  });

  it('the claim needs no sorting', () => {
    expect(planOf(db, claimSql.best)).toEqual(['SEARCH task USING COVERING INDEX task_ready (lane=?)']);
    expect(planOf(db, carrySql.taken).join()).not.toContain('B-TREE');
  });

  it('lists by status, run and name goes through an index', () => {
    const seen: string[] = [];
    const spy = {
      prepare: (sql: string) => {
        seen.push(sql);
        return db.prepare(sql);
      },
    };
    const lists = new Lists(spy, () => 'nobody');
    lists.tasks({ status: ['queued', 'failed', 'waiting'], limit: 10, created_from: 5, created_to: 9 });
    lists.tasks({ workflow_id: 'w1', status: ['completed'], priority: ['low'], limit: 10, cursor: 'o5' });
    lists.runs({ status: ['running', 'failed'], limit: 10 });
    lists.runs({ name: 'a', limit: 10, order: 'oldest', cursor: 'o7' });
    lists.documents('c', { limit: 10, cursor: 'ka', prefix: 'k' });
    expect(seen.length).toBeGreaterThan(4);
    // Of the queue all of it: it has another order, but only what is ready is in it.
    expect(seen.flatMap((sql) => scans(db, sql))).toEqual(['SCAN task USING COVERING INDEX task_ready']);
  });
});

function planOf(db: DatabaseSync, sql: string): string[] {
  return db
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => String(detail));
}

function scans(db: DatabaseSync, sql: string): string[] {
  return planOf(db, sql).filter((step) => step.startsWith('SCAN') && !small.test(step));
}
