import type { Changes } from '../../core/changes.ts';
import { isInLine } from '../../core/parked.ts';
import { isClaimable, type ResultRow, type TaskRow } from '../../core/records.ts';
import { acceptTasks } from './accept.ts';
import { integers } from './arrays.ts';
import { type Column, integerColumn, over, requiringAll, rewriting, textColumn, within } from './columns.ts';
import { dequeue, enqueue, isListed, leaveLine, lineUp, list, unlist } from './queue.ts';
import type { LoadedRows } from './source.ts';
import type { Query, Statement } from './statement.ts';
import { changedTask, completedTask, inline, onlyCompleted } from './task-columns.ts';

/** A task before and after the commit; `remembered`: before was not read. */
type Change = {
  readonly before: TaskRow;
  readonly after: TaskRow;
  readonly n: number;
  readonly remembered: boolean;
  readonly result: ResultRow | null;
};

const order: Column<Change> = integerColumn('n', ({ n }) => n);
const results: readonly Column<Change>[] = [
  integerColumn('result_size', ({ result }) => result?.result.length ?? null),
  textColumn('result', ({ result }) => inline(result?.result ?? null)),
];
const anyStep = { table: 'task', columns: [order, ...within(changedTask, ({ after }: Change) => after)] };
const completed = {
  table: 'task',
  columns: [order, ...within(completedTask, ({ after }: Change) => after), ...results],
  constants: "status = 'completed', error = NULL, parked = NULL, due_at = NULL, suspect = false",
};
/** Every step of a lone task moves its counter of events: the same counter, the same row. */
const unchanged: Column<Change> = integerColumn('seq', ({ before }) => before.seq);

const updateTasks = rewriting({ name: 'update_tasks', ...anyStep });
const completeTasks = rewriting({ name: 'complete_tasks', ...completed });
const updateAssumed = requiringAll(rewriting({ name: 'update_assumed', ...anyStep, unchanged }));
const completeAssumed = requiringAll(rewriting({ name: 'complete_assumed', ...completed, unchanged }));
const keepResults = rewriting({ name: 'keep_results', table: 'task', columns: [order, ...results] });

/*
 * Claims are told by their fences alone. A task's fence only grows, so as many rows with the same sum are the same claims.
 * Found by a list and not by a join: the table is empty time and again, and once the server has seen that, it would go
 * through all claims for each one that it looks for.
 */
const sameClaims = `SELECT require_all((SELECT count(*) FROM c), $2::bigint),
  require_all((SELECT coalesce(sum(fence), 0)::bigint FROM c), $3::bigint)`;
const endClaims: Statement = {
  name: 'end_claims',
  text: `WITH c AS (DELETE FROM held WHERE n = ANY($1::bigint[]) RETURNING fence) ${sameClaims}`,
};
/** The task is locked by now, so whoever would end the claim waits for us. */
const checkClaims: Statement = {
  name: 'check_claims',
  text: `WITH c AS (SELECT fence FROM held WHERE n = ANY($1::bigint[])) ${sameClaims}`,
};

/** Tasks as they are now, and with them the queue, the claims and the list; `taken` are claimed at once. */
export function* applyTasks(
  changes: Changes,
  rows: LoadedRows,
  taken: ReadonlySet<string>,
): Generator<Query> {
  const resultOf = new Map(changes.results.map((result) => [result.task_id, result]));
  const find = (task_id: string) => resultOf.get(task_id) ?? null;
  const steps = changes.tasks.map((after) => changeOf(after, rows, find(after.task_id)));
  const [assumed, sure] = split(steps, ({ after }) => rows.assumed.has(after.task_id));
  yield* acceptTasks(changes, rows, taken);
  yield* keep(reused(changes, rows, find));
  yield* rewrite(sure);
  yield* rewriteAssumed(assumed);
  yield* applyQueue(steps, taken);
  yield* applyClaims(steps);
}

/** New tasks that come with their results. */
function reused(
  { newTasks, results }: Changes,
  rows: LoadedRows,
  resultOf: (task_id: string) => ResultRow | null,
): Change[] {
  if (results.length === 0) return [];
  return newTasks.map(({ row }) => {
    const n = rows.orders.get(row.task_id) ?? 0;
    return { before: row, after: row, n, remembered: false, result: resultOf(row.task_id) };
  });
}

function changeOf(after: TaskRow, rows: LoadedRows, result: ResultRow | null): Change {
  const before = rows.tasks.get(after.task_id);
  const n = rows.orders.get(after.task_id);
  if (before == null || n === undefined) throw new Error('a task was changed that was not loaded');
  const remembered = rows.assumed.has(after.task_id) || rows.assumedRuns.has(after.workflow_id ?? '');
  return { before, after, n, remembered, result };
}

/** Their rows, or their runs, are locked. */
function rewrite(changes: readonly Change[]): Query[] {
  const [few, many] = split(changes, ({ before, after }) => onlyCompleted(before, after));
  return [
    ...over(completeTasks.statement, completeTasks.columns, few),
    ...over(updateTasks.statement, updateTasks.columns, many),
    ...keep(many),
  ];
}

/** By id, as everybody locks tasks. */
function rewriteAssumed(changes: readonly Change[]): Query[] {
  const inOrder = [...changes].sort((a, b) => (a.after.task_id < b.after.task_id ? -1 : 1));
  const [few, many] = split(inOrder, ({ before, after }) => onlyCompleted(before, after));
  return [
    ...over(completeAssumed.statement, completeAssumed.columns, few, [few.length]),
    ...over(updateAssumed.statement, updateAssumed.columns, many, [many.length]),
    ...keep(many),
  ];
}

/** Results of tasks that did more than complete, or came with them. */
function keep(changes: readonly Change[]): Query[] {
  const withResult = changes.filter(({ result }) => result !== null);
  return over(keepResults.statement, keepResults.columns, withResult);
}

function applyQueue(changes: readonly Change[], taken: ReadonlySet<string>): Query[] {
  const before = changes.map((change) => ({ row: change.before, n: change.n, other: change.after }));
  const after = changes.map((change) => ({ row: change.after, n: change.n, other: change.before }));
  const moves = (row: TaskRow, other: TaskRow) =>
    isClaimable(row) && !(isClaimable(other) && row.rank === other.rank);
  const relists = (row: TaskRow, other: TaskRow) =>
    isListed(row) && !(isListed(other) && row.status === other.status);
  const changesLine = (row: TaskRow, other: TaskRow) =>
    isInLine(row.parked) && !(row.parked === other.parked && row.rank === other.rank);
  return [
    ...leaveLine(before.filter(({ row, other }) => changesLine(row, other))),
    ...lineUp(after.filter(({ row, other }) => changesLine(row, other))),
    ...dequeue(before.filter(({ row, other }) => moves(row, other))),
    ...enqueue(after.filter(({ row, other }) => moves(row, other) && !taken.has(row.task_id))),
    ...unlist(before.filter(({ row, other }) => relists(row, other))),
    ...list(after.filter(({ row, other }) => relists(row, other))),
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
      kept.filter(({ remembered }) => remembered),
    ),
  ];
}

function claims(statement: Statement, changes: readonly Change[]): Query[] {
  if (changes.length === 0) return [];
  const values = [
    integers(changes.map(({ n }) => n)),
    changes.length,
    changes.reduce((sum, { before }) => sum + before.fence, 0),
  ];
  return [{ statement, values }];
}

function split<Item>(items: readonly Item[], matches: (item: Item) => boolean): [Item[], Item[]] {
  const [yes, no]: [Item[], Item[]] = [[], []];
  for (const item of items) (matches(item) ? yes : no).push(item);
  return [yes, no];
}
