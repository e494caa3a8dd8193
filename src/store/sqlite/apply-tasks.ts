import type { DatabaseSync } from 'node:sqlite';
import { isClaimable, type ResultRow, type TaskBody, type TaskRow } from '../../core/records.ts';
import { inputsText, listText } from './bodies.ts';
import { onFailureCodes, priorityCodes, taskStatusCodes } from './codes.ts';
import { prepare, type Query } from './connection.ts';
import type { KnownTask, Memory } from './memory.ts';
import { attemptsText, errorText } from './rows.ts';

export const taskSql = {
  insert: `INSERT INTO task (n, task_id, workflow_id, id, lane, priority, on_failure, has_dependents, total_timeout,
      created_at, first_cursor, status, pending, rank, place, parked, due_at, expires_at, seq, slack)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, zeroblob(24))`,
  insertBody: `INSERT INTO task_body (n, name, shape, uses_input, params_hash, dependencies, dependents, inputs, params)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  insertResult: 'INSERT OR REPLACE INTO result (n, stored_at, hash, attempts, result) VALUES (?, ?, ?, ?, ?)',
  /** All that can change. The statements below it are for the steps most tasks take, and leave alone what stays. */
  update: `UPDATE task SET status = ?, pending = ?, blocked = ?, rank = ?, place = ?, parked = ?, owner = ?, fence = ?,
      suspect = ?, attempt_count = ?, attempt_base = ?, generation = ?, attempts = ?, budget_from = ?, due_at = ?,
      expires_at = ?, settled_at = ?, error = ?, result_hash = ?, seq = ?, slack = NULL
    WHERE n = ?`,
  start: `UPDATE task SET status = 4, place = NULL, attempt_count = ?, attempts = ?, budget_from = ?, seq = ?
    WHERE n = ?`,
  complete: `UPDATE task SET status = 7, place = NULL, owner = NULL, suspect = 0, attempt_count = ?, attempts = NULL,
      budget_from = ?, due_at = NULL, settled_at = ?, error = NULL, seq = ?
    WHERE n = ?`,
} as const;

export type TaskQueries = Readonly<Record<keyof typeof taskSql, Query>>;

export function taskQueries(db: DatabaseSync): TaskQueries {
  const entries = Object.entries(taskSql).map(([name, sql]) => [name, prepare(db, sql)]);
  return Object.fromEntries(entries) as TaskQueries;
}

export function insertTask(
  { queries, memory }: { queries: TaskQueries; memory: Memory },
  task: { n: number; row: TaskRow; body: TaskBody; params: string | null; first_cursor: number | null },
): void {
  const { n, row, body } = task;
  queries.insert.run(
    n,
    row.task_id,
    row.workflow_id,
    row.id === row.task_id ? null : row.id,
    row.lane,
    priorityCodes[row.priority],
    onFailureCodes[row.on_failure],
    row.has_dependents ? 1 : 0,
    row.total_timeout,
    row.created_at,
    task.first_cursor,
    taskStatusCodes[row.status],
    row.pending,
    row.rank,
    placeOf(row),
    row.parked,
    row.due_at,
    row.expires_at,
    row.seq,
  );
  queries.insertBody.run(
    n,
    body.spec.name,
    memory.shapes.valueOf(body.spec),
    body.uses_input ? 1 : 0,
    body.params_hash,
    listText(body.spec.dependencies),
    listText(body.dependents),
    inputsText(body.inputs),
    task.params,
  );
}

export function insertResult(
  queries: TaskQueries,
  known: KnownTask,
  stored: { result: ResultRow; text: string | null },
): void {
  const { stored_at, hash } = stored.result;
  queries.insertResult.run(known.n, stored_at, hash, attemptsText(known.row.attempts), stored.text);
}

/** `result`: it was written beside the row in this commit, and took the attempts and the hash along. */
export function updateTask(
  { queries, memory }: { queries: TaskQueries; memory: Memory },
  { n, row: old }: KnownTask,
  { row, result }: { row: TaskRow; result: boolean },
): void {
  if (result && row.status === 'completed' && onlyAttemptMoved(old, row)) {
    queries.complete.run(row.attempt_count, row.budget_from, row.settled_at, row.seq, n);
    return;
  }
  if (
    row.status === 'executing' &&
    onlyAttemptMoved(old, row) &&
    row.due_at === old.due_at &&
    row.owner !== null
  ) {
    queries.start.run(row.attempt_count, attemptsText(row.attempts), row.budget_from, row.seq, n);
    return;
  }
  const beside = row.status === 'completed' && (result || old.status === 'completed');
  updateAll({ queries, memory }, n, beside ? { ...row, attempts: [], result_hash: null } : row);
}

function updateAll(
  { queries, memory }: { queries: TaskQueries; memory: Memory },
  n: number,
  row: TaskRow,
): void {
  queries.update.run(
    taskStatusCodes[row.status],
    row.pending,
    row.blocked,
    row.rank,
    placeOf(row),
    row.parked,
    row.owner === null ? null : memory.engines.numberOf(row.owner),
    row.fence,
    row.suspect ? 1 : 0,
    row.attempt_count,
    row.attempt_base,
    row.generation,
    attemptsText(row.attempts),
    row.budget_from,
    row.due_at,
    row.expires_at,
    row.settled_at,
    errorText(row.error),
    row.result_hash,
    row.seq,
    n,
  );
}

/** Whether nothing changed but what a first attempt changes on its way from the queue to its end. */
function onlyAttemptMoved(old: TaskRow, row: TaskRow): boolean {
  return (
    old.pending === row.pending &&
    old.blocked === row.blocked &&
    old.rank === row.rank &&
    old.parked === row.parked &&
    old.fence === row.fence &&
    old.attempt_base === row.attempt_base &&
    old.generation === row.generation &&
    old.expires_at === row.expires_at &&
    (old.status === 'queued' || old.status === 'executing')
  );
}

/** Where a queued task stands, as the index of the queue has it. */
export function placeOf(row: TaskRow): number | null {
  if (row.status !== 'queued') return null;
  if (isClaimable(row)) return 0;
  return row.owner === null ? 1 : 2;
}

/** Whether an inserted row says all there is to say; a task may settle in the commit that accepts it. */
export function isFresh(row: TaskRow): boolean {
  return (
    row.settled_at === null &&
    row.blocked === 0 &&
    row.owner === null &&
    row.fence === 0 &&
    row.attempt_count === 0 &&
    row.attempt_base === 0 &&
    row.generation === 0 &&
    row.error === null &&
    !row.suspect
  );
}

export { updateAll };
