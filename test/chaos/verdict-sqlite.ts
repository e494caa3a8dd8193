import { DatabaseSync } from 'node:sqlite';
import type { Accepted, Verdict } from './verdict.ts';

/** A row of the log holds entries; an entry `b` stands for the three events that begin an attempt, the others for one. */
const rows = `
  CREATE TEMP TABLE log AS
    SELECT cursor, first_seq, coalesce('r' || run_n, 't' || task_n) AS run_key,
      (SELECT sum(CASE entry.value ->> 0 WHEN 'b' THEN 3 ELSE 1 END) FROM json_each(events) AS entry) AS events,
      (SELECT count(*) FROM json_each(events) AS entry WHERE entry.value ->> 0 = 'c') AS completions
    FROM event;
  CREATE INDEX temp.log_by_run ON log (run_key, cursor)`;

const lost = `
  SELECT (SELECT count(*) FROM accepted LEFT JOIN tasks USING (task_id) LEFT JOIN results USING (task_id)
      WHERE tasks.status IS NOT 'completed' OR results.result IS NULL)
    + (SELECT count(*) FROM accepted_run LEFT JOIN runs USING (workflow_id)
      WHERE runs.status IS NOT 'completed') AS n`;

const twice = `
  SELECT coalesce(sum(told - done), 0) AS n FROM (
    SELECT (SELECT sum(completions) FROM log WHERE run_key = 't' || task.n) AS told,
        (SELECT status = 'completed' FROM tasks WHERE tasks.task_id = task.task_id) AS done
      FROM task WHERE workflow_id IS NULL
    UNION ALL
    SELECT (SELECT sum(completions) FROM log WHERE run_key = 'r' || run.n),
        (SELECT count(*) FROM tasks WHERE tasks.workflow_id = run.workflow_id AND status = 'completed')
      FROM run)
  WHERE told > done`;

const gaps = `
  SELECT count(*) AS n FROM (
    SELECT cursor - events <> lag(cursor, 1, 0) OVER (ORDER BY cursor) AS gap FROM log
    UNION ALL
    SELECT first_seq <> lag(first_seq + events, 1, 1) OVER (PARTITION BY run_key ORDER BY cursor)
      FROM log WHERE run_key IS NOT NULL)
  WHERE gap`;

const completed = `SELECT count(*) AS n FROM tasks WHERE status = 'completed'`;

export function judgeSqlite(path: string, accepted: Accepted): Verdict {
  const database = new DatabaseSync(path);
  const count = (sql: string) => Number(database.prepare(sql).get()?.['n']);
  try {
    database.exec('CREATE TEMP TABLE accepted (task_id TEXT PRIMARY KEY)');
    database.exec('CREATE TEMP TABLE accepted_run (workflow_id TEXT PRIMARY KEY); BEGIN');
    const task = database.prepare('INSERT INTO accepted VALUES (?)');
    for (const task_id of accepted.tasks) task.run(task_id);
    const run = database.prepare('INSERT INTO accepted_run VALUES (?)');
    for (const workflow_id of accepted.runs) run.run(workflow_id);
    database.exec(`COMMIT; ${rows}`);
    return {
      lost: count(lost),
      recorded_twice: count(twice),
      event_gaps: count(gaps),
      completed: count(completed),
    };
  } finally {
    database.close();
  }
}
