import type { Changes } from '../../core/changes.ts';
import { isClaimable, type TaskRow } from '../../core/records.ts';
import { integers, texts } from './arrays.ts';
import { type Column, inserting, integerColumn, over, type Rewrite, rewriting } from './columns.ts';
import type { Query, Statement } from './session.ts';
import type { LoadedRows } from './source.ts';
import {
  changedTask,
  completedTask,
  freshLoneTask,
  freshTask,
  isFresh,
  isFreshLone,
  newTask,
  onlyCompleted,
} from './task-columns.ts';

/** A task before and after the commit; `assumed`: before is remembered, not read. */
type Change = {
  readonly before: TaskRow;
  readonly after: TaskRow;
  readonly n: number;
  readonly assumed: boolean;
};

/** New tasks, and those of them that may be claimed into the queue: only the table knows their place in it. */
function accepting(name: string, columns: readonly Column<TaskRow>[]): Statement {
  const text = `WITH t AS (
      ${inserting('task', columns).text} RETURNING task_id, lane, rank, n, fence, status, parked
    )
    INSERT INTO ready (lane, rank, n, fence, task_id)
    SELECT lane, rank, n, fence, task_id FROM t WHERE status = 'queued' AND parked IS NULL`;
  return { name, text };
}

const acceptFreshLone = accepting('accept_fresh_lone', freshLoneTask);
const acceptFresh = accepting('accept_fresh', freshTask);
const acceptAny = accepting('accept_any', newTask);

const ofAfter = (column: Column<TaskRow>): Column<Change> => ({
  ...column,
  encode: (changes) => column.encode(changes.map(({ after }) => after)),
});

const anyStep = { table: 'task', columns: changedTask.map(ofAfter) };
const completed = {
  table: 'task',
  columns: completedTask.map(ofAfter),
  constants: "status = 'completed', error = NULL, parked = NULL, due_at = NULL, suspect = false",
};
/** Every step of a lone task moves its counter of events: the same counter, the same row. */
const unchanged: Column<Change> = integerColumn('seq', ({ before }) => before.seq);

const updateTasks = rewriting({ name: 'update_tasks', ...anyStep });
const completeTasks = rewriting({ name: 'complete_tasks', ...completed });
const updateAssumed = requiringAll(rewriting({ name: 'update_assumed', ...anyStep, unchanged }));
const completeAssumed = requiringAll(rewriting({ name: 'complete_assumed', ...completed, unchanged }));

/** Ends the transaction where not every record was found. The last parameter says how many there are. */
function requiringAll(rewrite: Rewrite<Change>): Rewrite<Change> {
  return { ...rewrite, statement: countingAll(rewrite.statement, rewrite.columns.length + 1) };
}

function countingAll({ name, text }: Statement, parameter: number): Statement {
  return {
    name,
    text: `WITH found AS (${text} RETURNING 1)
      SELECT require_all((SELECT count(*) FROM found), $${parameter}::bigint)`,
  };
}

const enqueue: Statement = {
  name: 'enqueue',
  text: `INSERT INTO ready (lane, rank, n, fence, task_id) SELECT unnest($1::text[]), unnest($2::bigint[]),
    unnest($3::bigint[]), unnest($4::bigint[]), unnest($5::text[])`,
};

const dequeue: Statement = {
  name: 'dequeue',
  text: `DELETE FROM ready r USING unnest($1::text[], $2::bigint[], $3::bigint[]) AS u (lane, rank, n)
    WHERE r.lane = u.lane AND r.rank = u.rank AND r.n = u.n`,
};

const theseClaims = `(SELECT unnest($1::bigint[]) AS n, unnest($2::text[]) AS owner,
  unnest($3::bigint[]) AS fence) AS u WHERE h.n = u.n AND h.owner = u.owner AND h.fence = u.fence`;
const endClaims = countingAll({ name: 'end_claims', text: `DELETE FROM held h USING ${theseClaims}` }, 4);
/** The task is locked by now, so whoever would end the claim waits for us. */
const checkClaims: Statement = {
  name: 'check_claims',
  text: `SELECT require_all((SELECT count(*) FROM held h, ${theseClaims}), $4::bigint)`,
};

/** Tasks as they are now, and with them the queue and the claims. */
export function* applyTasks({ newTasks, tasks }: Changes, rows: LoadedRows): Generator<Query> {
  const changes = tasks.map((after) => changeOf(after, rows));
  const [assumed, read] = split(changes, (change) => change.assumed);
  yield* acceptAll(newTasks.map(({ row }) => row));
  yield* rewrite(read, { short: completeTasks, long: updateTasks });
  yield* rewriteAssumed(assumed);
  yield* applyQueue(changes);
  yield* applyClaims(changes);
}

/** In one statement, so that their order is the order of acceptance. */
function acceptAll(rows: readonly TaskRow[]): Query[] {
  if (rows.every(isFreshLone)) return over(acceptFreshLone, freshLoneTask, rows);
  if (rows.every(isFresh)) return over(acceptFresh, freshTask, rows);
  return over(acceptAny, newTask, rows);
}

function changeOf(after: TaskRow, rows: LoadedRows): Change {
  const before = rows.tasks.get(after.task_id);
  const n = rows.orders.get(after.task_id);
  if (before == null || n === undefined) throw new Error('a task was changed that was not loaded');
  return { before, after, n, assumed: rows.assumed.has(after.task_id) };
}

function rewrite(
  changes: readonly Change[],
  { short, long }: { short: Rewrite<Change>; long: Rewrite<Change> },
): Query[] {
  const [few, many] = split(changes, ({ before, after }) => onlyCompleted(before, after));
  return [...over(short.statement, short.columns, few), ...over(long.statement, long.columns, many)];
}

/** By id, as everybody locks tasks. */
function rewriteAssumed(changes: readonly Change[]): Query[] {
  const inOrder = [...changes].sort((a, b) => (a.after.task_id < b.after.task_id ? -1 : 1));
  const [few, many] = split(inOrder, ({ before, after }) => onlyCompleted(before, after));
  return [
    ...over(completeAssumed.statement, completeAssumed.columns, few, [few.length]),
    ...over(updateAssumed.statement, updateAssumed.columns, many, [many.length]),
  ];
}

function applyQueue(changes: readonly Change[]): Query[] {
  const moved = ({ before, after }: Change) =>
    isClaimable(before) !== isClaimable(after) || before.rank !== after.rank;
  const left = changes.filter((change) => isClaimable(change.before) && moved(change));
  const come = changes.filter((change) => isClaimable(change.after) && moved(change));
  const place = (list: readonly Change[], side: 'before' | 'after') => [
    texts(list.map((change) => change[side].lane)),
    integers(list.map((change) => change[side].rank)),
    integers(list.map(({ n }) => n)),
  ];
  const more = () => [
    integers(come.map(({ after }) => after.fence)),
    texts(come.map(({ after }) => after.task_id)),
  ];
  return [
    ...(left.length === 0 ? [] : [{ statement: dequeue, values: place(left, 'before') }]),
    ...(come.length === 0 ? [] : [{ statement: enqueue, values: [...place(come, 'after'), ...more()] }]),
  ];
}

/** Decisions end claims, or go on under one that is only remembered; a new one is made by the claim alone. */
function applyClaims(changes: readonly Change[]): Query[] {
  const [ended, kept] = split(
    changes.filter(({ before }) => before.owner !== null),
    ({ after }) => after.owner === null,
  );
  return [
    ...claims(endClaims, ended),
    ...claims(
      checkClaims,
      kept.filter(({ assumed }) => assumed),
    ),
  ];
}

function claims(statement: Statement, changes: readonly Change[]): Query[] {
  if (changes.length === 0) return [];
  const values = [
    integers(changes.map(({ n }) => n)),
    texts(changes.map(({ before }) => before.owner)),
    integers(changes.map(({ before }) => before.fence)),
    changes.length,
  ];
  return [{ statement, values }];
}

function split<Item>(items: readonly Item[], matches: (item: Item) => boolean): [Item[], Item[]] {
  const [yes, no]: [Item[], Item[]] = [[], []];
  for (const item of items) (matches(item) ? yes : no).push(item);
  return [yes, no];
}
