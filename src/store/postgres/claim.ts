import type { ClaimedTask, ClaimRequest } from '../../core/ports/store.ts';
import { isStorable, texts } from './arrays.ts';
import { BODY_WIDTH, bodyColumns, bodyOf, payloadOfBody, TASK_WIDTH, taskColumns, taskOf } from './rows.ts';
import type { Query, Row, Statement } from './session.ts';

const claimable = `t.status = 'queued' AND t.owner IS NULL AND t.parked IS NULL`;

/**
 * First how many of the best tasks each lane has, by a look at the index; then as many of each lane, skipping what
 * others are just taking. So no more is locked than is claimed, whatever the number of lanes.
 */
const pickOfLanes = `share AS (
    SELECT lane, count(*) AS n FROM (
      SELECT l.lane, best.rank, best.n FROM unnest($2::text[]) AS l (lane) CROSS JOIN LATERAL (
        SELECT t.rank, t.n FROM task t WHERE t.lane = l.lane AND ${claimable}
        ORDER BY t.rank, t.n LIMIT $3::bigint
      ) AS best ORDER BY best.rank, best.n LIMIT $3::bigint
    ) AS head WHERE EXISTS (SELECT FROM engine WHERE owner = $1::text) GROUP BY lane
  ), picked AS MATERIALIZED (
    SELECT taken.task_id FROM share CROSS JOIN LATERAL (
      SELECT t.task_id FROM task t WHERE t.lane = share.lane AND ${claimable}
      ORDER BY t.rank, t.n LIMIT share.n FOR UPDATE SKIP LOCKED
    ) AS taken
  )`;

/** One lane needs no look ahead. */
const pickOfLane = `picked AS MATERIALIZED (
    SELECT t.task_id FROM task t
    WHERE t.lane = $2::text AND ${claimable} AND EXISTS (SELECT FROM engine WHERE owner = $1::text)
    ORDER BY t.rank, t.n LIMIT $3::bigint FOR UPDATE OF t SKIP LOCKED
  )`;

/** Takes what was picked, and answers with all an attempt needs of it. */
function claiming(name: string, pick: string): Statement {
  const text = `WITH ${pick}, t AS (
      UPDATE task SET owner = $1::text, fence = task.fence + 1 FROM picked WHERE task.task_id = picked.task_id
      RETURNING task.*
    )
    SELECT ${taskColumns}, ${bodyColumns}, coalesce(i.input, ip.content) FROM t
    JOIN task_body b ON b.task_id = t.task_id ${payloadOfBody}
    LEFT JOIN run_input i ON b.uses_input AND i.workflow_id = t.workflow_id
    LEFT JOIN payload ip ON i.input IS NULL AND ip.run_key = i.workflow_id AND ip.hash = i.hash
    ORDER BY t.rank, t.n`;
  return { name, text };
}

const claimOfLanes = claiming('claim_of_lanes', pickOfLanes);
const claimOfLane = claiming('claim_of_lane', pickOfLane);

const knowsEngine: Statement = {
  name: 'knows_engine',
  text: 'SELECT 1 FROM engine WHERE owner = $1::text',
};

/** Whether the engine is known, and the claim itself. Nothing where it could not be known at all. */
export function claim(request: ClaimRequest | null): readonly [known: Query, claim: Query] | [] {
  if (request === null || !isStorable(request.owner)) return [];
  const { owner, limit } = request;
  const lanes = [...new Set(request.lanes)].filter(isStorable);
  const [only] = lanes;
  const alone = lanes.length === 1 && only !== undefined;
  return [
    { statement: knowsEngine, values: [owner] },
    alone
      ? { statement: claimOfLane, values: [owner, only, limit] }
      : { statement: claimOfLanes, values: [owner, texts(lanes), limit] },
  ];
}

/** A claimed task before the results it refers to were looked at. */
export function claimedOf(row: Row): Omit<ClaimedTask, 'inputs'> {
  const body = bodyOf(row, TASK_WIDTH);
  return {
    task: taskOf(row),
    body,
    run_input: body.uses_input ? (row[TASK_WIDTH + BODY_WIDTH] ?? null) : null,
  };
}
