import { isStorable } from './arrays.ts';
import type { Needs } from './needs.ts';
import { numberOrNull, text } from './rows.ts';
import type { Session, Statement } from './session.ts';
import type { LoadedRows } from './source.ts';

/*
 * Lists of what is due, lost or old, by the clock of the commit. They are read without locks, as a proposal: their rows
 * join the needs, are locked in the common order, and are looked at again (see LoadedRows).
 */

const unheld = 'NOT EXISTS (SELECT FROM held h WHERE h.n = t.n)';

const due: Statement = {
  name: 'list_due',
  text: `SELECT t.task_id FROM task t WHERE t.due_at IS NOT NULL AND t.due_at <= $1::bigint AND ${unheld}
    ORDER BY t.due_at, t.n LIMIT $2::bigint`,
};

const nextDue: Statement = {
  name: 'next_due',
  text: `SELECT t.due_at FROM task t WHERE t.due_at IS NOT NULL AND t.due_at > $1::bigint AND ${unheld}
    ORDER BY t.due_at, t.n LIMIT 1`,
};

const lost: Statement = {
  name: 'list_lost',
  text: `SELECT h.task_id, h.owner FROM held h
    WHERE NOT EXISTS (SELECT FROM engine e WHERE e.owner = h.owner AND e.alive_until >= $1::bigint)
    ORDER BY h.n LIMIT $2::bigint`,
};

const lostEngines: Statement = {
  name: 'list_lost_engines',
  text: 'SELECT owner FROM engine WHERE alive_until < $1::bigint ORDER BY owner',
};

const held: Statement = {
  name: 'list_held',
  text: 'SELECT task_id FROM held WHERE owner = $1::text ORDER BY n',
};

const prunable: Statement = {
  name: 'list_prunable',
  text: `SELECT run_key FROM (
      (SELECT settled_at, workflow_id AS run_key FROM run
        WHERE settled_at IS NOT NULL AND settled_at < $1::bigint ORDER BY settled_at, workflow_id LIMIT $2::bigint)
      UNION ALL
      (SELECT settled_at, task_id FROM task
        WHERE workflow_id IS NULL AND settled_at IS NOT NULL AND settled_at < $1::bigint
        ORDER BY settled_at, task_id LIMIT $2::bigint)
    ) AS old ORDER BY settled_at, run_key LIMIT $2::bigint`,
};

export function needsLists(needs: Needs): boolean {
  return needs.due !== null || needs.lost !== null || needs.held.size > 0 || needs.prunable.size > 0;
}

/** Reads the lists the writes ask for, and adds to the needs what their rows take. */
export async function loadLists(
  session: Session,
  rows: LoadedRows,
  { needs, now }: { needs: Needs; now: number },
): Promise<void> {
  await Promise.all([
    ...(needs.due === null ? [] : [loadDue(session, rows, { needs, now, limit: needs.due })]),
    ...(needs.lost === null ? [] : [loadLost(session, rows, { needs, now, limit: needs.lost })]),
    ...[...needs.held].map((owner) => loadHeld(session, rows, { needs, owner })),
    ...[...needs.prunable].map(([keep_ms, limit]) =>
      loadPrunable(session, rows, { needs, before: now - keep_ms, limit }),
    ),
  ]);
}

type ListAsk = { readonly needs: Needs; readonly now: number; readonly limit: number };

async function loadDue(session: Session, rows: LoadedRows, { needs, now, limit }: ListAsk): Promise<void> {
  const [found, later] = await Promise.all([session.rows(due, [now, limit]), session.rows(nextDue, [now])]);
  rows.dueIds = found.map(([task_id]) => text(task_id));
  rows.firstDueLater = numberOrNull(later[0]?.[0]);
  for (const task_id of rows.dueIds) wantTask(needs, task_id);
}

async function loadLost(session: Session, rows: LoadedRows, { needs, now, limit }: ListAsk): Promise<void> {
  const [found, owners] = await Promise.all([
    session.rows(lost, [now, limit]),
    session.rows(lostEngines, [now]),
  ]);
  rows.lostIds = found.map(([task_id]) => text(task_id));
  rows.lostOwners = owners.map(([owner]) => text(owner));
  for (const task_id of rows.lostIds) wantTask(needs, task_id);
  for (const [, owner] of found) needs.engines.add(text(owner));
  for (const owner of rows.lostOwners) needs.engines.add(owner);
}

async function loadHeld(
  session: Session,
  rows: LoadedRows,
  { needs, owner }: { needs: Needs; owner: string },
): Promise<void> {
  const found = isStorable(owner) ? await session.rows(held, [owner]) : [];
  const ids = found.map(([task_id]) => text(task_id));
  rows.heldIds.set(owner, ids);
  for (const task_id of ids) wantTask(needs, task_id);
}

async function loadPrunable(
  session: Session,
  rows: LoadedRows,
  { needs, before, limit }: { needs: Needs; before: number; limit: number },
): Promise<void> {
  const found = await session.rows(prunable, [before, limit]);
  const keys = found.map(([run_key]) => text(run_key));
  rows.prunableKeys.set(before, keys);
  // A key is that of a run or of a task; the other one is looked for in vain.
  for (const key of keys) {
    needs.runs.add(key);
    needs.tasks.add(key);
  }
}

function wantTask(needs: Needs, task_id: string): void {
  needs.tasks.add(task_id);
  needs.bodies.add(task_id);
}
