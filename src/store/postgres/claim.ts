import { mostOf } from '../../core/claim-bounds.ts';
import type { ClaimRequest } from '../../core/ports/store.ts';
import { integers, isStorable, texts } from './arrays.ts';
import { type Claimed, claimedColumns, claimedOf } from './claimed.ts';
import type { Query, Statement } from './statement.ts';

/**
 * First how many of the best tasks each lane has, by a look at the queue; then as many of each lane, skipping what
 * others are just taking. So no more is locked than is claimed, whatever the number of lanes.
 */
const pickOfLanes = `WITH share AS (
    SELECT lane, count(*) AS n FROM (
      SELECT best.lane FROM unnest($2::text[], $4::bigint[]) AS l (lane, most) CROSS JOIN LATERAL (
        SELECT r.lane, r.rank, r.n FROM ready r WHERE r.lane = l.lane ORDER BY r.rank, r.n LIMIT l.most
      ) AS best ORDER BY best.rank, best.n LIMIT $3::bigint
    ) AS head GROUP BY lane
  ), picked AS MATERIALIZED (
    SELECT taken.at FROM share CROSS JOIN LATERAL (
      SELECT r.ctid AS at FROM ready r WHERE r.lane = share.lane
      ORDER BY r.rank, r.n LIMIT share.n FOR UPDATE SKIP LOCKED
    ) AS taken
  )`;

/** One lane needs no look ahead. */
const pickOfLane = `WITH picked AS MATERIALIZED (
    SELECT r.ctid AS at FROM ready r WHERE r.lane = $2::text
    ORDER BY r.rank, r.n LIMIT $3::bigint FOR UPDATE SKIP LOCKED
  )`;

/**
 * Moves what was picked from the queue to the engine, and answers with all an attempt needs of it. Rows of the queue
 * are never rewritten, so they are still where they were picked.
 */
function claiming(name: string, pick: string): Statement {
  const text = `${pick}, taken AS (
      DELETE FROM ready WHERE ctid = ANY(ARRAY(SELECT at FROM picked))
        AND EXISTS (SELECT FROM engine WHERE owner = $1::text)
      RETURNING n, fence + 1 AS fence
    ), h AS (
      INSERT INTO held (n, owner, fence) SELECT n, $1::text, fence FROM taken
    )
    SELECT ${claimedColumns} FROM taken JOIN task t ON t.n = taken.n JOIN task_body b ON b.n = taken.n`;
  return { name, text };
}

const claimOfLanes = claiming('claim_of_lanes', pickOfLanes);
const claimOfLane = claiming('claim_of_lane', pickOfLane);

const knowsEngine: Statement = {
  name: 'knows_engine',
  text: 'SELECT 1 FROM engine WHERE owner = $1::text',
};

export type ClaimAnswer = { known: boolean; claimed: readonly Claimed[] };

/**
 * Whether the engine is known, and the claim itself; nothing where it could not be known at all. The answer is read as
 * soon as it comes, while the server goes on with the rest of the commit.
 */
export function claim(request: ClaimRequest | null, answer: ClaimAnswer): Query[] {
  if (request === null || !isStorable(request.owner)) return [];
  const { owner, limit } = request;
  const lanes = [...new Set(request.lanes)].filter(isStorable);
  const [only] = lanes;
  const alone = lanes.length === 1 && only !== undefined;
  return [
    {
      statement: knowsEngine,
      values: [owner],
      take: (rows) => {
        answer.known = rows.length > 0;
      },
    },
    {
      statement: alone ? claimOfLane : claimOfLanes,
      values: alone
        ? [owner, only, mostOf(request, only)]
        : [owner, texts(lanes), limit, integers(lanes.map((lane) => mostOf(request, lane)))],
      take: (rows) => {
        answer.claimed = claimedOf(rows, owner);
      },
    },
  ];
}
