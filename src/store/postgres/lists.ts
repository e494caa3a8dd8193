import { isStorable } from './arrays.ts';
import { lineQueries } from './line-lists.ts';
import type { Needs } from './needs.ts';
import { numberOrNull, text } from './rows.ts';
import type { LoadedRows } from './source.ts';
import type { Query, Row, Statement } from './statement.ts';

/*
 * Lists of what is due, lost, old or called, by the clock of the commit. They are read without locks, as a proposal: their rows
 * join the needs, are locked in the common order, and are looked at again (see LoadedRows).
 */

/**
 * OFFSET 0 keeps the server from taking the statement apart: it would go through all tasks by number, which it thinks is
 * cheaper as long as it does not know how few are due, or through all claims for each of them.
 */
function due(which: string): string {
  return `SELECT t.task_id, t.due_at FROM (
      SELECT task_id, n, due_at FROM task WHERE due_at IS NOT NULL AND ${which} ORDER BY due_at, n OFFSET 0
    ) AS t WHERE NOT EXISTS (SELECT FROM held h WHERE h.n = t.n OFFSET 0) ORDER BY t.due_at, t.n`;
}

const dueNow: Statement = { name: 'list_due', text: `${due('due_at <= $1::bigint')} LIMIT $2::bigint` };
const dueNext: Statement = { name: 'next_due', text: `${due('due_at > $1::bigint')} LIMIT 1` };

const idOfHeld = '(SELECT t.task_id FROM task t WHERE t.n = h.n)';

const lost: Statement = {
  name: 'list_lost',
  text: `SELECT ${idOfHeld}, h.owner FROM held h
    WHERE NOT EXISTS (SELECT FROM engine e WHERE e.owner = h.owner AND e.alive_until >= $1::bigint)
    ORDER BY h.n LIMIT $2::bigint`,
};

const lostEngines: Statement = {
  name: 'list_lost_engines',
  text: 'SELECT owner FROM engine WHERE alive_until < $1::bigint ORDER BY owner',
};

const held: Statement = {
  name: 'list_held',
  text: `SELECT ${idOfHeld} FROM held h WHERE h.owner = $1::text ORDER BY h.n`,
};

/** A task that was opened again after it settled is not what its event says; it has another one by then. */
const prunable: Statement = {
  name: 'list_prunable',
  text: `SELECT run_key FROM (
      (SELECT settled_at, workflow_id AS run_key FROM run
        WHERE settled_at IS NOT NULL AND settled_at < $1::bigint ORDER BY settled_at, workflow_id LIMIT $2::bigint)
      UNION ALL
      (SELECT t.settled_at, t.task_id FROM (
          SELECT run_n, at FROM event WHERE settles AND at < $1::bigint ORDER BY at OFFSET 0
        ) AS e JOIN task t ON t.n = e.run_n AND t.settled_at = e.at
        ORDER BY e.at, t.task_id LIMIT $2::bigint)
    ) AS old ORDER BY settled_at, run_key LIMIT $2::bigint`,
};

export function needsLists(needs: Needs): boolean {
  const { due, lost, held, prunable, lines, linesAfter } = needs;
  return due !== null || lost !== null || held.size + prunable.size + lines.size + linesAfter.size > 0;
}

type Listing = { readonly needs: Needs; readonly now: number };

/** Reads the lists the writes ask for, and adds to the needs what their rows take. */
export function listQueries(rows: LoadedRows, { needs, now }: Listing): Query[] {
  return [
    ...(needs.due === null ? [] : listDue(rows, needs, [now, needs.due])),
    ...(needs.lost === null ? [] : listLost(rows, needs, [now, needs.lost])),
    ...[...needs.held].flatMap((owner) => listHeld(rows, needs, owner)),
    ...[...needs.prunable].flatMap(([keep_ms, limit]) => listPrunable(rows, needs, [now - keep_ms, limit])),
    ...lineQueries(rows, needs),
  ];
}

function listDue(rows: LoadedRows, needs: Needs, [now, limit]: [number, number]): Query[] {
  const take = (found: readonly Row[]) => {
    rows.dueIds = found.map(([task_id]) => text(task_id));
    for (const task_id of rows.dueIds) wantTask(needs, task_id);
  };
  const takeNext = ([first]: readonly Row[]) => {
    rows.firstDueLater = numberOrNull(first?.[1]);
  };
  return [
    { statement: dueNow, values: [now, limit], take },
    { statement: dueNext, values: [now], take: takeNext },
  ];
}

function listLost(rows: LoadedRows, needs: Needs, [now, limit]: [number, number]): Query[] {
  const take = (found: readonly Row[]) => {
    rows.lostIds = found.map(([task_id]) => text(task_id));
    for (const task_id of rows.lostIds) wantTask(needs, task_id);
    for (const [, owner] of found) needs.engines.add(text(owner));
  };
  const takeEngines = (found: readonly Row[]) => {
    rows.lostOwners = found.map(([owner]) => text(owner));
    for (const owner of rows.lostOwners) needs.engines.add(owner);
  };
  return [
    { statement: lost, values: [now, limit], take },
    { statement: lostEngines, values: [now], take: takeEngines },
  ];
}

function listHeld(rows: LoadedRows, needs: Needs, owner: string): Query[] {
  rows.heldIds.set(owner, []);
  if (!isStorable(owner)) return [];
  const take = (found: readonly Row[]) => {
    const ids = found.map(([task_id]) => text(task_id));
    rows.heldIds.set(owner, ids);
    for (const task_id of ids) wantTask(needs, task_id);
  };
  return [{ statement: held, values: [owner], take }];
}

function listPrunable(rows: LoadedRows, needs: Needs, [before, limit]: [number, number]): Query[] {
  const take = (found: readonly Row[]) => {
    const keys = found.map(([run_key]) => text(run_key));
    rows.prunableKeys.set(before, keys);
    // A key is that of a run or of a task; the other one is looked for in vain.
    for (const key of keys) {
      needs.runs.add(key);
      needs.tasks.add(key);
    }
  };
  return [{ statement: prunable, values: [before, limit], take }];
}

function wantTask(needs: Needs, task_id: string): void {
  needs.tasks.add(task_id);
  needs.bodies.add(task_id);
}
