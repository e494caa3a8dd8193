import { texts } from './arrays.ts';
import type { Query, Statement } from './session.ts';

/** The tasks of the given runs, and the given tasks that are alone. */
const ids = `WITH gone AS (
    SELECT task_id FROM task WHERE workflow_id = ANY($1::text[])
    UNION ALL SELECT task_id FROM task WHERE task_id = ANY($1::text[]) AND workflow_id IS NULL
  )`;

function removeByTask(table: string): Statement {
  return {
    name: `prune_${table}`,
    text: `${ids} DELETE FROM ${table} d USING gone WHERE d.task_id = gone.task_id`,
  };
}

function removeByRun(table: string, column: string): Statement {
  return { name: `prune_${table}`, text: `DELETE FROM ${table} WHERE ${column} = ANY($1::text[])` };
}

/** Tasks go last of those that are found through them. */
const statements: readonly Statement[] = [
  removeByTask('task_body'),
  removeByTask('result'),
  removeByTask('task'),
  removeByRun('run', 'workflow_id'),
  removeByRun('run_input', 'workflow_id'),
  removeByRun('payload', 'run_key'),
  removeByRun('event', 'run_key'),
  removeByRun('idempotency', 'run_key'),
];

/** Removes every trace of runs and lone tasks. */
export function prune(runKeys: readonly string[]): Query[] {
  if (runKeys.length === 0) return [];
  const values = [texts(runKeys)];
  return statements.map((statement) => ({ statement, values }));
}
