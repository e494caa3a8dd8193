import pg from 'pg';
import type { Accepted, Verdict } from './verdict.ts';

/** The beginning of an attempt is three events in one entry (src/store/postgres/event-text.ts). */
const rows = `
  CREATE TEMP TABLE log AS
    SELECT cursor, run_key, first_seq, told.* FROM event, LATERAL (
      SELECT sum(CASE e ->> 0 WHEN 'b' THEN 3 ELSE 1 END) AS events,
        count(*) FILTER (WHERE e ->> 1 = 'task:completed') AS completions
      FROM jsonb_array_elements(event.events::jsonb) AS e) AS told`;

const lost = `
  SELECT (SELECT count(*) FROM accepted LEFT JOIN task USING (task_id)
      WHERE task.status IS DISTINCT FROM 'completed' OR task.result_size IS NULL)
    + (SELECT count(*) FROM accepted_run LEFT JOIN run USING (workflow_id)
      WHERE run.status IS DISTINCT FROM 'completed') AS n`;

const twice = `
  SELECT coalesce(sum(told - done), 0) AS n FROM (
    SELECT run_key, (SELECT count(*) FROM task
        WHERE coalesce(workflow_id, task_id) = run_key AND status = 'completed') AS done, told
      FROM (SELECT run_key, sum(completions) AS told FROM log WHERE run_key IS NOT NULL GROUP BY run_key) AS runs) AS both_counts
  WHERE told > done`;

const gaps = `
  SELECT count(*) AS n FROM (
    SELECT cursor - events <> lag(cursor, 1, 0::bigint) OVER (ORDER BY cursor) AS gap FROM log
    UNION ALL
    SELECT first_seq <> lag(first_seq + events, 1, 1::bigint) OVER (PARTITION BY run_key ORDER BY cursor)
      FROM log WHERE run_key IS NOT NULL) AS steps
  WHERE gap`;

const completed = `SELECT count(*) AS n FROM task WHERE status = 'completed'`;

export async function judgePostgres(url: string, accepted: Accepted): Promise<Verdict> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=gleitzeit' });
  await client.connect();
  const count = async (sql: string) => Number((await client.query(sql)).rows[0]?.n);
  try {
    await client.query('CREATE TEMP TABLE accepted (task_id text PRIMARY KEY)');
    await client.query('INSERT INTO accepted SELECT unnest($1::text[])', [accepted.tasks]);
    await client.query('CREATE TEMP TABLE accepted_run (workflow_id text PRIMARY KEY)');
    await client.query('INSERT INTO accepted_run SELECT unnest($1::text[])', [accepted.runs]);
    await client.query('CREATE INDEX IF NOT EXISTS chaos_run_key ON task (coalesce(workflow_id, task_id))');
    await client.query(rows);
    await client.query('ANALYZE');
    return {
      lost: await count(lost),
      recorded_twice: await count(twice),
      event_gaps: await count(gaps),
      completed: await count(completed),
    };
  } finally {
    await client.end();
  }
}
