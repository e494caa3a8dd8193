import { texts } from './arrays.ts';
import type { Query, Statement } from './statement.ts';

/** The tasks of the given runs, and the given tasks that are alone. */
const tasks = `(
    SELECT n FROM task WHERE workflow_id = ANY($1::text[])
    UNION ALL SELECT n FROM task WHERE task_id = ANY($1::text[]) AND workflow_id IS NULL
  )`;
/** The same runs and tasks by the numbers their events have. */
const runs = `(
    SELECT n FROM run WHERE workflow_id = ANY($1::text[])
    UNION ALL SELECT n FROM task WHERE task_id = ANY($1::text[]) AND workflow_id IS NULL
  )`;

function removeByNumber(table: string, column: string, numbers: string): Statement {
  const text = `DELETE FROM ${table} d USING ${numbers} AS gone WHERE d.${column} = gone.n`;
  return { name: `prune_${table}`, text };
}

function removeByKey(table: string, column: string): Statement {
  return { name: `prune_${table}`, text: `DELETE FROM ${table} WHERE ${column} = ANY($1::text[])` };
}

const unlist: Statement = {
  name: 'prune_listed',
  text: `DELETE FROM listed d USING ${tasks} AS gone JOIN task t ON t.n = gone.n
    WHERE d.status = t.status AND d.n = t.n`,
};

/** Tasks and runs go last of those that are found through them. */
const statements: readonly Statement[] = [
  removeByNumber('event', 'run_n', runs),
  removeByNumber('task_body', 'n', tasks),
  unlist,
  removeByNumber('task', 'n', tasks),
  removeByKey('run', 'workflow_id'),
  removeByKey('run_input', 'workflow_id'),
  removeByKey('payload', 'run_key'),
  removeByKey('idempotency', 'run_key'),
];

/** Removes every trace of runs and lone tasks. */
export function prune(runKeys: readonly string[]): Query[] {
  if (runKeys.length === 0) return [];
  const values = [texts(runKeys)];
  return statements.map((statement) => ({ statement, values }));
}
