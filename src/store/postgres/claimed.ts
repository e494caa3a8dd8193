import type { ClaimedTask } from '../../core/ports/store.ts';
import type { TaskRow } from '../../core/records.ts';
import { attemptsOf, BODY_WIDTH, bodyColumns, bodyOf, numberOrNull, runInput, text } from './rows.ts';
import type { Row } from './statement.ts';

/** What has happened to a task before, as one column that most tasks have nothing in. */
const history = `CASE WHEN t.attempts IS NULL AND t.attempt_count = 0 AND t.generation = 0 AND t.pending = 0
    AND t.blocked = 0 AND t.attempt_base = 0 AND NOT t.suspect AND t.budget_from IS NULL AND t.due_at IS NULL
    AND t.expires_at IS NULL AND t.error IS NULL AND t.result_hash IS NULL THEN NULL
  ELSE json_build_array(t.pending, t.blocked, t.suspect, t.attempt_count, t.attempt_base, t.generation,
    t.attempts, t.budget_from, t.due_at, t.expires_at, t.error, t.result_hash) END`;

/**
 * All an attempt needs of a task: `t` the task, `b` its body, `taken` its place in the queue. What is the same for all
 * that can be claimed stays behind: thousands of these rows cross the wire each second.
 */
export const claimedColumns = `t.n, t.rank, taken.fence, t.seq, t.created_at, t.workflow_id, t.id, t.lane, t.priority,
  t.on_failure, t.has_dependents, t.total_timeout, ${history}, ${bodyColumns},
  CASE WHEN b.uses_input THEN ${runInput('t.workflow_id')} END`;

/** A claimed task before the results it refers to were looked at. */
export type Claimed = Omit<ClaimedTask, 'inputs'> & { readonly n: number };

const BODY_AT = 13;

/** Best first. */
export function claimedOf(rows: readonly Row[], owner: string): Claimed[] {
  return rows
    .map((row): Claimed => {
      const body = bodyOf(row, BODY_AT);
      const run_input = body.uses_input ? (row[BODY_AT + BODY_WIDTH] ?? null) : null;
      return { n: Number(row[0]), task: claimedTaskOf(row, body.task_id, owner), body, run_input };
    })
    .sort((a, b) => a.task.rank - b.task.rank || a.n - b.n);
}

function claimedTaskOf(row: Row, task_id: string, owner: string): TaskRow {
  return {
    task_id,
    workflow_id: row[5] ?? null,
    id: row[6] ?? task_id,
    lane: text(row[7]),
    priority: text(row[8]) as TaskRow['priority'],
    on_failure: text(row[9]) as TaskRow['on_failure'],
    has_dependents: row[10] === 't',
    total_timeout: numberOrNull(row[11]),
    created_at: Number(row[4]),
    status: 'queued',
    rank: Number(row[1]),
    parked: null,
    owner,
    fence: Number(row[2]),
    settled_at: null,
    seq: Number(row[3]),
    ...(row[12] == null ? noHistory : historyOf(row[12])),
  };
}

type History = Omit<
  TaskRow,
  | (
      | 'task_id'
      | 'workflow_id'
      | 'id'
      | 'lane'
      | 'priority'
      | 'on_failure'
      | 'has_dependents'
      | 'total_timeout'
    )
  | ('created_at' | 'status' | 'rank' | 'parked' | 'owner' | 'fence' | 'settled_at' | 'seq')
>;

const noHistory: History = {
  pending: 0,
  blocked: 0,
  suspect: false,
  attempt_count: 0,
  attempt_base: 0,
  generation: 0,
  attempts: [],
  budget_from: null,
  due_at: null,
  expires_at: null,
  error: null,
  result_hash: null,
};

function historyOf(json: string): History {
  const [pending, blocked, suspect, attempt_count, attempt_base, generation, ...rest] = JSON.parse(json);
  const [attempts, budget_from, due_at, expires_at, error, result_hash] = rest;
  return {
    ...{
      pending,
      blocked,
      suspect,
      attempt_count,
      attempt_base,
      generation,
      budget_from,
      due_at,
      expires_at,
    },
    attempts: attemptsOf(attempts),
    error: error === null ? null : JSON.parse(error),
    result_hash,
  };
}
