import { agentColumns } from './agents.ts';
import { runColumns, unheldColumns } from './rows.ts';
import type { Statement } from './statement.ts';

/* The statements that bring rows into memory for decisions; load.ts says in which order and why that is safe. */

export const documents: Statement = {
  name: 'lock_documents',
  text: `SELECT d.collection, d.key, d.content, d.version FROM document d
    JOIN unnest($1::text[], $2::text[]) AS u (collection, key) USING (collection, key)
    ORDER BY d.collection, d.key FOR UPDATE OF d`,
};

export const agents: Statement = {
  name: 'lock_agents',
  text: `SELECT ${agentColumns} FROM agents WHERE name = ANY($1::text[]) ORDER BY name FOR UPDATE`,
};

export const engines: Statement = {
  name: 'lock_engines',
  text: 'SELECT owner, alive_until FROM engine WHERE owner = ANY($1::text[]) ORDER BY owner FOR UPDATE',
};

export const keys: Statement = {
  name: 'read_keys',
  text: 'SELECT key, run_key, body_hash FROM idempotency WHERE key = ANY($1::text[])',
};

export const runs: Statement = {
  name: 'lock_runs',
  text: `SELECT ${runColumns} FROM run r WHERE r.workflow_id = ANY($1::text[])
    ORDER BY r.workflow_id FOR UPDATE`,
};

export const runsOfTasks: Statement = {
  name: 'lock_runs_of_tasks',
  text: `SELECT ${runColumns} FROM run r WHERE r.workflow_id IN (
      SELECT unnest($1::text[])
      UNION SELECT t.workflow_id FROM task t WHERE t.task_id = ANY($2::text[]) AND t.workflow_id IS NOT NULL
    ) ORDER BY r.workflow_id FOR UPDATE`,
};

export const tasks: Statement = {
  name: 'lock_tasks',
  text: `SELECT ${unheldColumns} FROM task t WHERE t.task_id = ANY($1::text[]) ORDER BY t.task_id FOR UPDATE`,
};

/** Params stay behind: no decision looks at them. */
const bodyColumns = 't.task_id, b.spec, NULL, b.params_hash, b.dependents, b.inputs, b.uses_input';

/** $1 whatever they are, $2 those somebody waits for. */
export const bodies: Statement = {
  name: 'read_bodies',
  text: `SELECT ${bodyColumns} FROM task t JOIN task_body b ON b.n = t.n WHERE t.task_id = ANY($1::text[])
    UNION ALL SELECT ${bodyColumns} FROM task t JOIN task_body b ON b.n = t.n
    WHERE t.task_id = ANY($2::text[]) AND t.has_dependents AND t.task_id <> ALL($1::text[])`,
};

export const dependentTasks: Statement = {
  name: 'lock_dependents',
  text: `SELECT ${unheldColumns} FROM task t WHERE t.task_id IN (
      SELECT json_array_elements_text(b.dependents::json) FROM task w JOIN task_body b ON b.n = w.n
      WHERE w.task_id = ANY($1::text[]) AND w.has_dependents
    ) ORDER BY t.task_id FOR UPDATE`,
};

/** Everything downstream of some tasks. */
const closure = `WITH RECURSIVE down (task_id) AS (
    SELECT unnest($1::text[])
    UNION SELECT next.task_id FROM down JOIN task t ON t.task_id = down.task_id AND t.has_dependents
      JOIN task_body b ON b.n = t.n, json_array_elements_text(b.dependents::json) AS next (task_id)
  )`;

export const closureBodies: Statement = {
  name: 'read_closure',
  text: `${closure} SELECT ${bodyColumns} FROM task t JOIN down ON t.task_id = down.task_id
    JOIN task_body b ON b.n = t.n`,
};

export const closureTasks: Statement = {
  name: 'lock_closure',
  text: `${closure} SELECT ${unheldColumns} FROM task t WHERE t.task_id IN (SELECT task_id FROM down)
    ORDER BY t.task_id FOR UPDATE`,
};

export const openTasks: Statement = {
  name: 'lock_open_tasks',
  text: `SELECT ${unheldColumns} FROM task t WHERE t.workflow_id = ANY($1::text[]) AND t.settled_at IS NULL
    ORDER BY t.workflow_id, t.n FOR UPDATE`,
};

export const taskIds: Statement = {
  name: 'read_task_ids',
  text: `SELECT workflow_id, coalesce(id, task_id), task_id FROM task WHERE workflow_id = ANY($1::text[]) ORDER BY workflow_id, n`,
};

export const readyOfTasks: Statement = {
  name: 'lock_ready',
  text: `SELECT FROM task t JOIN ready r ON r.lane = t.lane AND r.rank = t.rank AND r.n = t.n
    WHERE t.task_id = ANY($1::text[]) FOR UPDATE OF r`,
};

export const heldTasks: Statement = {
  name: 'read_held',
  text: `SELECT t.task_id, h.owner, h.fence FROM task t JOIN held h ON h.n = t.n
    WHERE t.task_id = ANY($1::text[])`,
};
