import type { Changes } from '../../core/changes.ts';
import { mostOf } from '../../core/claim-bounds.ts';
import type { ClaimRequest } from '../../core/ports/store.ts';
import { isClaimable, type TaskBody, type TaskRow } from '../../core/records.ts';
import { integers, isStorable, texts } from './arrays.ts';
import type { Claimed } from './claimed.ts';
import type { Memory } from './memory.ts';
import type { LoadedRows } from './source.ts';
import type { Query, Statement } from './statement.ts';

/**
 * Claims of tasks that are made ready by the same commit, so that they never stand in the queue. Right only where
 * nothing else waits there for the same engine, and where the store knows that engine; otherwise the transaction ends.
 */
const claimDirectly: Statement = {
  name: 'claim_directly',
  text: `WITH h AS (
      INSERT INTO held (n, owner, fence) SELECT unnest($1::bigint[]), $2::text, unnest($3::bigint[])
    ), waiting AS (
      SELECT FROM unnest($4::text[]) AS l (lane)
      WHERE EXISTS (SELECT FROM ready r WHERE r.lane = l.lane)
    )
    SELECT require_all((SELECT count(*) FROM engine WHERE owner = $2::text) - (SELECT count(*) FROM waiting), 1)`,
};

type Making = { readonly changes: Changes; readonly rows: LoadedRows; readonly memory: Memory };

/**
 * The tasks that a commit makes ready for its own claim, claimed, best first; none where others may wait in its lanes, where
 * there are more of them than asked for, or where one is not known well enough to be handed out.
 */
export function directClaims(request: ClaimRequest | null, making: Making): readonly Claimed[] {
  if (request === null || !isStorable(request.owner)) return [];
  const { owner, limit } = request;
  const lanes = new Set(request.lanes);
  for (const lane of lanes) if (!making.memory.emptied.has(lane)) return [];
  const claimed: Claimed[] = [];
  const counts = new Map<string, number>();
  for (const { row, body } of madeReady(making)) {
    if (!lanes.has(row.lane)) continue;
    const n = making.rows.orders.get(row.task_id);
    const count = counts.get(row.lane) ?? 0;
    if (body === null || n === undefined || claimed.length === limit) return [];
    if (count >= mostOf(request, row.lane)) return [];
    counts.set(row.lane, count + 1);
    claimed.push({ n, task: { ...row, owner, fence: row.fence + 1 }, body, bare: false });
  }
  return claimed.sort((a, b) => a.task.rank - b.task.rank || a.n - b.n);
}

type Ready = { readonly row: TaskRow; readonly body: TaskBody | null };

function* madeReady({ changes, rows, memory }: Making): Generator<Ready> {
  for (const { row, body } of changes.newTasks) if (isClaimable(row)) yield { row, body };
  for (const row of changes.tasks) {
    const before = rows.tasks.get(row.task_id);
    if (!isClaimable(row) || before == null || isClaimable(before)) continue;
    yield { row, body: memory.task(row.task_id)?.body ?? null };
  }
}

export function claimAtOnce({ owner, lanes }: ClaimRequest, claimed: readonly Claimed[]): Query {
  return {
    statement: claimDirectly,
    values: [
      integers(claimed.map(({ n }) => n)),
      owner,
      integers(claimed.map(({ task }) => task.fence)),
      texts([...new Set(lanes)].filter(isStorable)),
    ],
  };
}
