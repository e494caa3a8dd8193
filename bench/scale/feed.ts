/**
 * How long a commit on Postgres holds the row that numbers events, for each step it carries. All commits of one store pass
 * that row one after the other, so this is what no second engine makes quicker. The best of many is taken, since others may
 * be at work on the machine; the way to the server and back is part of it. `node bench/scale/feed.ts`
 */
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import type { Changes } from '../../src/core/changes.ts';
import { systemTimers } from '../../src/embedded/system.ts';
import { migrateUp } from '../../src/store/postgres/migrate.ts';
import { number } from '../../src/store/postgres/number.ts';
import type { LoadedRows } from '../../src/store/postgres/source.ts';
import { startPostgres } from '../services/postgres.ts';

/** A step is told of twice: when it is handed over, and when its answer has come. */
const ROWS_PER_STEP = 2;
const ROUNDS = 200;
const [FEW, MANY] = [64, 1024];

const { url, stop } = await startPostgres();
try {
  await migrateUp({ url, timers: systemTimers, schema: 'gleitzeit', logger: console });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SET search_path = gleitzeit');
  const few = await best(client, FEW);
  const many = await best(client, MANY);
  await client.end();
  const row_us = ((many - few) * 1000) / (MANY - FEW);
  console.log(`commit of ${FEW} rows: ${few.toFixed(2)} ms, of ${MANY} rows: ${many.toFixed(2)} ms`);
  console.log(`feed_us: ${(row_us * ROWS_PER_STEP).toFixed(2)} µs for each step`);
} finally {
  await stop();
}

async function best(client: pg.Client, rows: number): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    await client.query('BEGIN');
    const queries = number(
      changes(round, rows),
      { numberOf: () => round } as Pick<LoadedRows, 'numberOf'> as LoadedRows,
      Date.now(),
    );
    const from = performance.now();
    for (const { statement, values } of queries) await client.query({ ...statement, values: [...values] });
    await client.query('COMMIT');
    shortest = Math.min(shortest, performance.now() - from);
  }
  return shortest;
}

/** Answers of so many runs, as they are told of in one commit. */
function changes(round: number, rows: number): Changes {
  const happenings = Array.from({ length: rows }, (_, index) => {
    const id = `01a1e2c8-f207-7000-8bfe-${String(round * MANY + index).padStart(12, '0')}`;
    const data = {
      attempt: 1,
      result_hash: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
    };
    const events = [{ event: 'task:completed' as const, task_id: id, data }];
    return { run_key: id, workflow_id: null, first_seq: 4, events };
  });
  return { happenings, settled: [] } as Pick<Changes, 'happenings' | 'settled'> as Changes;
}
