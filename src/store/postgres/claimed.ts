import { CLAIM_BUDGET } from '../../core/ports/store.ts';
import type { TaskBody, TaskRow } from '../../core/records.ts';
import { asideParams, attemptsOf, bodyOf, numberOrNull, text } from './rows.ts';
import type { Row } from './statement.ts';

/** What has happened to a task before, as one column that most tasks have nothing in. */
const history = `CASE WHEN t.attempts IS NULL AND t.attempt_count = 0 AND t.generation = 0 AND t.pending = 0
    AND t.blocked = 0 AND t.attempt_base = 0 AND NOT t.suspect AND t.budget_from IS NULL AND t.due_at IS NULL
    AND t.expires_at IS NULL AND t.error IS NULL AND t.result_hash IS NULL THEN NULL
  ELSE json_build_array(t.pending, t.blocked, t.suspect, t.attempt_count, t.attempt_base, t.generation,
    t.attempts, t.budget_from, t.due_at, t.expires_at, t.error, t.result_hash) END`;

/** The params of the best tasks, as long as they are no more than a claim carries. Sizes are known without the texts. */
const carriedParams = `CASE WHEN sum(coalesce(octet_length(b.params), ${asideParams('octet_length(p.content)')}))
    OVER (ORDER BY t.rank, t.n ROWS UNBOUNDED PRECEDING) <= ${CLAIM_BUDGET}
  THEN coalesce(b.params, ${asideParams('p.content')}) END`;

/**
 * What an attempt needs of a task: `t` the task, `b` its body, `taken` its place in the queue. What is the same for all
 * that can be claimed stays behind: thousands of these rows cross the wire each second.
 */
export const claimedColumns = `t.n, t.rank, taken.fence, t.seq, t.created_at, t.workflow_id, t.id, t.lane, t.priority,
  t.on_failure, t.has_dependents, t.total_timeout, ${history},
  t.task_id, b.spec, ${carriedParams}, b.params_hash, b.dependents, b.inputs, b.uses_input`;

/** A claimed task before what its params refer to was looked at. */
export type Claimed = {
  readonly n: number;
  readonly task: TaskRow;
  /** Without params where it is bare. */
  readonly body: TaskBody;
  readonly bare: boolean;
};

const BODY_AT = 13;
const PARAMS_AT = BODY_AT + 2;

/** Best first. */
export function claimedOf(rows: readonly Row[], owner: string): Claimed[] {
  return rows
    .map((row): Claimed => {
      const body = bodyOf(row, BODY_AT);
      const bare = row[PARAMS_AT] == null;
      return { n: Number(row[0]), task: claimedTaskOf(row, body.task_id, owner), body, bare };
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
