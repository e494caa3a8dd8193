import type { TaskRow } from '../../core/records.ts';
import { isSettled } from '../../core/task.ts';
import { agentOf } from './agents.ts';
import { isStorable, texts } from './arrays.ts';
import * as sql from './load-statements.ts';
import { documentKey, type Needs } from './needs.ts';
import { bodyOf, documentOf, engineOf, keyOf, runOf, runOrder, taskOf, taskOrder, text } from './rows.ts';
import type { Session } from './session.ts';
import type { LoadedRows } from './source.ts';
import type { Query, Row, Statement } from './statement.ts';

/*
 * Rows for decisions, locked. READ COMMITTED is enough, because whatever a decision reads is one of these:
 * - a row locked FOR UPDATE (documents, agents, engines, runs, tasks). If somebody else holds it, the statement waits and then
 *   sees what he left, and from then on nobody changes it before our commit;
 * - who holds a task. A claim does not lock the task but takes its row out of `ready`; so that row is locked after the
 *   task (a claim that was faster is waited for, a later one passes it over), and only then is `held` read;
 * - immutable once written: bodies, the ids of a run's tasks, idempotency keys;
 * - the set of a run's open tasks, which changes only under the lock of the run, and is read after that was taken;
 * - the absence of a row. Whoever inserts it first wins, the other meets a duplicate key and decides anew;
 * - a list (due, lost, prunable, called) read without locks, whose rows are locked and looked at again before they count.
 *
 * Locks are taken in one order everywhere: documents, agents, engines, runs, tasks, each by id, then rows of `ready`, at last
 * the feed. Claims take rows of `ready` without waiting, and hold them while waiting for nothing but the feed, whose
 * holder waits for nothing. Tasks of a run are waited for only by who holds the run, so later rounds may take more of
 * them. What is left (a later round that meets another run) ends as a deadlock that Postgres finds, and the whole batch
 * is tried again.
 */

type Loading = {
  readonly needs: Needs;
  /** Everything downstream, not only one step. */
  readonly deep: boolean;
  /** What goes out before it. */
  readonly opening?: readonly Query[];
};

/** Brings rows into memory, all statements on their way at once. */
export async function load(
  session: Session,
  rows: LoadedRows,
  { needs, deep, opening = [] }: Loading,
): Promise<void> {
  const known = new Set(rows.tasks.keys());
  await session.all([
    ...opening,
    ...loadRoots(rows, needs),
    ...loadNeighbours(rows, needs, deep),
    ...loadOfRuns(rows, needs),
  ]);
  // Tasks that came along as neighbours are rarely in a state in which they could be claimed.
  const open: string[] = [];
  for (const [task_id, row] of rows.tasks) {
    if (row !== null && !known.has(task_id) && !needs.tasks.has(task_id) && mayBeHeld(row))
      open.push(task_id);
  }
  if (open.length > 0) await session.all(loadClaims(rows, open));
}

function mayBeHeld({ status }: TaskRow): boolean {
  return status !== 'waiting' && status !== 'retrying' && !isSettled(status);
}

/** Who holds the tasks, once nobody can claim them any more. */
function loadClaims(rows: LoadedRows, ids: readonly string[]): Query[] {
  return [
    ...loadById(sql.readyOfTasks, ids, () => undefined),
    ...loadById(sql.heldTasks, ids, ([task_id, owner, fence]) => {
      const task = rows.tasks.get(text(task_id));
      if (task != null) rows.tasks.set(task.task_id, { ...task, owner: text(owner), fence: Number(fence) });
    }),
  ];
}

function loadRoots(rows: LoadedRows, needs: Needs): Query[] {
  const names = [...needs.documents.values()].filter(
    ({ collection, key }) => isStorable(collection) && isStorable(key),
  );
  for (const name of needs.documents.keys()) rows.documents.set(name, null);
  return [
    ...loadWhere(
      names.length > 0,
      sql.documents,
      () => [texts(names.map(({ collection }) => collection)), texts(names.map(({ key }) => key))],
      (row) => rows.documents.set(documentKey(documentOf(row)), documentOf(row)),
    ),
    ...loadById(sql.agents, absent(rows.agents, needs.agents), (row) => {
      const agent = agentOf(row);
      rows.agents.set(agent.name, agent);
    }),
    ...loadById(sql.engines, absent(rows.engines, needs.engines), (row) =>
      rows.engines.set(text(row[0]), engineOf(row)),
    ),
    ...loadById(sql.keys, absent(rows.keys, needs.keys), (row) => rows.keys.set(text(row[0]), keyOf(row))),
  ];
}

function loadNeighbours(rows: LoadedRows, needs: Needs, deep: boolean): Query[] {
  const runIds = absent(rows.runs, needs.runs);
  const ids = absent(rows.tasks, needs.tasks);
  const bodyIds = absent(rows.bodies, needs.bodies);
  const waitedFor = [...needs.dependents].filter(isStorable);
  const takeRun = (row: Row) => {
    rows.runs.set(text(row[0]), runOf(row));
    rows.runOrders.set(text(row[0]), runOrder(row));
  };
  const takeTask = (row: Row) => takeOne(rows, row);
  const takeBody = (row: Row) => rows.bodies.set(text(row[0]), bodyOf(row));
  const around = [...bodyIds, ...waitedFor];
  return [
    ...(ids.length === 0
      ? loadById(sql.runs, runIds, takeRun)
      : loadWhere(true, sql.runsOfTasks, () => [texts(runIds), texts(ids)], takeRun)),
    ...loadById(sql.tasks, ids, takeTask),
    ...loadClaims(rows, ids),
    ...(deep
      ? loadById(sql.closureBodies, around, takeBody)
      : loadWhere(around.length > 0, sql.bodies, () => [texts(bodyIds), texts(waitedFor)], takeBody)),
    ...loadById(deep ? sql.closureTasks : sql.dependentTasks, around, takeTask),
  ];
}

function loadOfRuns(rows: LoadedRows, needs: Needs): Query[] {
  const loads: Query[] = [];
  for (const workflow_id of needs.openTasks) rows.openTaskIds.set(workflow_id, []);
  for (const workflow_id of needs.taskIds) rows.taskIdsOfRuns.set(workflow_id, {});
  const open = [...needs.openTasks].filter(isStorable);
  const named = [...needs.taskIds].filter(isStorable);
  if (open.length > 0) {
    loads.push({
      statement: sql.openTasks,
      values: [texts(open)],
      take: (answer) => {
        for (const row of answer) takeOne(rows, row);
        const ids = Map.groupBy(answer, (row) => text(row[1]));
        for (const [id, group] of ids)
          rows.openTaskIds.set(
            id,
            group.map((row) => text(row[0])),
          );
      },
    });
  }
  if (named.length > 0) {
    loads.push({
      statement: sql.taskIds,
      values: [texts(named)],
      take: (answer) => {
        const ids = Map.groupBy(answer, (row) => text(row[0]));
        for (const [id, group] of ids)
          rows.taskIdsOfRuns.set(id, Object.fromEntries(group.map((row) => [text(row[1]), text(row[2])])));
      },
    });
  }
  return loads;
}

/** A task that is in memory already is locked, and complete with its claim. */
function takeOne(rows: LoadedRows, row: Row): void {
  const task_id = text(row[0]);
  if ((rows.tasks.get(task_id) ?? null) !== null) return;
  rows.tasks.set(task_id, taskOf(row));
  rows.orders.set(task_id, taskOrder(row));
}

/** Takes down what is looked for as absent until it is found, and answers what can be looked for at all. */
function absent<Found>(known: Map<string, Found | null>, ids: ReadonlySet<string>): string[] {
  const wanted = [...ids].filter((id) => !known.has(id));
  for (const id of wanted) known.set(id, null);
  return wanted.filter(isStorable);
}

function loadById(statement: Statement, ids: readonly string[], take: (row: Row) => void): Query[] {
  return loadWhere(ids.length > 0, statement, () => [texts(ids)], take);
}

function loadWhere(
  wanted: boolean,
  statement: Statement,
  values: () => Buffer[],
  take: (row: Row) => void,
): Query[] {
  return wanted ? [{ statement, values: values(), take: (answer) => answer.forEach(take) }] : [];
}
