import type { Changes } from '../../core/changes.ts';
import { isClaimable } from '../../core/records.ts';
import { type Column, inserting, integerColumn, over, within } from './columns.ts';
import { enqueue, isListed, list } from './queue.ts';
import type { LoadedRows } from './source.ts';
import type { Query } from './statement.ts';
import {
  bodyColumnsIn,
  freshLoneTask,
  freshTask,
  isFresh,
  isFreshLone,
  isPlain,
  newTask,
  plainBodyColumnsIn,
} from './task-columns.ts';

type Accepted = Changes['newTasks'][number] & { readonly n: number };

const order: Column<Accepted> = integerColumn('n', ({ n }) => n);
const freshLone = insertingInto(
  'task',
  'fresh_lone',
  within(freshLoneTask, ({ row }: Accepted) => row),
);
const fresh = insertingInto(
  'task',
  'fresh',
  within(freshTask, ({ row }: Accepted) => row),
);
const whole = insertingInto(
  'task',
  'whole',
  within(newTask, ({ row }: Accepted) => row),
);
const plainBody = insertingInto(
  'task_body',
  'plain',
  within(plainBodyColumnsIn, ({ body }: Accepted) => body),
);
const anyBody = insertingInto(
  'task_body',
  'any',
  within(bodyColumnsIn, ({ body }: Accepted) => body),
);

function insertingInto(table: string, kind: string, columns: readonly Column<Accepted>[]) {
  const all = [order, ...columns];
  return { columns: all, statement: { ...inserting(table, all), name: `insert_${table}_${kind}` } };
}

/** New tasks with their bodies, and in the queue those of them that may be claimed and are not `taken` at once. */
export function* acceptTasks(
  { newTasks }: Changes,
  rows: LoadedRows,
  taken: ReadonlySet<string>,
): Generator<Query> {
  const accepted = newTasks.map((task): Accepted => ({ ...task, n: rows.orders.get(task.row.task_id) ?? 0 }));
  const kind = newTasks.every(({ row }) => isFreshLone(row))
    ? freshLone
    : newTasks.every(({ row }) => isFresh(row))
      ? fresh
      : whole;
  yield* over(kind.statement, kind.columns, accepted);
  yield* enqueue(accepted.filter(({ row }) => isClaimable(row) && !taken.has(row.task_id)));
  yield* list(accepted.filter(({ row }) => isListed(row)));
  const bodies = newTasks.every(({ body }) => isPlain(body)) ? plainBody : anyBody;
  yield* over(bodies.statement, bodies.columns, accepted);
}
