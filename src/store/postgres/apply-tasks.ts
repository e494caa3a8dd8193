import type { Changes } from '../../core/changes.ts';
import { isClaimable, type TaskRow } from '../../core/records.ts';
import { integers, texts } from './arrays.ts';
import { type Column, inserting, over, unnested, updating } from './columns.ts';
import type { Query, Statement } from './session.ts';
import type { LoadedRows } from './source.ts';
import {
  changedTask,
  completedTask,
  freshTask,
  isFresh,
  newTask,
  onlyCompleted,
  taskKey,
} from './task-columns.ts';

/** New tasks, and those of them that may be claimed into the queue: only the table knows their place in it. */
function accepting(name: string, columns: readonly Column<TaskRow>[]): Statement {
  const text = `WITH t AS (${inserting('task', columns).text} RETURNING task_id, lane, rank, n, status, parked)
    INSERT INTO ready (lane, rank, n, task_id)
    SELECT lane, rank, n, task_id FROM t WHERE status = 'queued' AND parked IS NULL`;
  return { name, text };
}

const acceptFresh = accepting('accept_fresh', freshTask);
const acceptAny = accepting('accept_any', newTask);

const updateTasks = updating('task', changedTask);

const completeTasks: Statement = {
  name: 'complete_tasks',
  text: `UPDATE task t SET status = 'completed', error = NULL, parked = NULL, due_at = NULL, suspect = false,
      ${completedTask
        .filter((column) => column !== taskKey)
        .map(({ name }) => `${name} = u.${name}`)
        .join(', ')}
    FROM ${unnested(completedTask)} WHERE t.task_id = u.task_id`,
};

const enqueue: Statement = {
  name: 'enqueue',
  text: `INSERT INTO ready (lane, rank, n, task_id)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[])`,
};

const dequeue: Statement = {
  name: 'dequeue',
  text: `DELETE FROM ready r USING unnest($1::text[], $2::bigint[], $3::bigint[]) AS u (lane, rank, n)
    WHERE r.lane = u.lane AND r.rank = u.rank AND r.n = u.n`,
};

const letGo: Statement = {
  name: 'let_go',
  text: 'DELETE FROM held WHERE task_id = ANY($1::text[])',
};

type Change = { readonly before: TaskRow; readonly after: TaskRow; readonly n: number };

/** Tasks as they are now, and with them the queue and the claims. */
export function applyTasks({ newTasks, tasks }: Changes, rows: LoadedRows): Query[] {
  const fresh = newTasks.map(({ row }) => row);
  const changes = tasks.map((after) => changeOf(after, rows));
  const [short, long] = split(changes, ({ before, after }) => onlyCompleted(before, after));
  return [
    ...acceptAll(fresh),
    ...over(
      completeTasks,
      completedTask,
      short.map(({ after }) => after),
    ),
    ...over(
      updateTasks,
      changedTask,
      long.map(({ after }) => after),
    ),
    ...applyQueue(changes),
    ...applyClaims(changes),
  ];
}

/** In one statement, so that their order is the order of acceptance. */
function acceptAll(rows: readonly TaskRow[]): Query[] {
  return rows.every(isFresh) ? over(acceptFresh, freshTask, rows) : over(acceptAny, newTask, rows);
}

function changeOf(after: TaskRow, rows: LoadedRows): Change {
  const before = rows.tasks.get(after.task_id);
  const n = rows.orders.get(after.task_id);
  if (before == null || n === undefined) throw new Error('a task was changed that was not loaded');
  return { before, after, n };
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
  return [
    ...(left.length === 0 ? [] : [{ statement: dequeue, values: place(left, 'before') }]),
    ...(come.length === 0
      ? []
      : [
          {
            statement: enqueue,
            values: [...place(come, 'after'), texts(come.map(({ after }) => after.task_id))],
          },
        ]),
  ];
}

/** Decisions end claims; only a claim makes one. */
function applyClaims(changes: readonly Change[]): Query[] {
  const ended = changes.filter(({ before, after }) => before.owner !== null && after.owner === null);
  if (ended.length === 0) return [];
  return [{ statement: letGo, values: [texts(ended.map(({ after }) => after.task_id))] }];
}

function split<Item>(items: readonly Item[], matches: (item: Item) => boolean): [Item[], Item[]] {
  const [yes, no]: [Item[], Item[]] = [[], []];
  for (const item of items) (matches(item) ? yes : no).push(item);
  return [yes, no];
}
