import { INLINE_PAYLOAD } from '../../core/limits.ts';
import type { TaskBody, TaskRow } from '../../core/records.ts';
import { booleanColumn, type Column, floatColumn, integerColumn, textColumn } from './columns.ts';
import { attemptsText } from './rows.ts';

/** What never changes after the task was accepted. */
const origin: readonly Column<TaskRow>[] = [
  textColumn('task_id', (row) => row.task_id),
  textColumn('workflow_id', (row) => row.workflow_id),
  textColumn('id', (row) => (row.id === row.task_id ? null : row.id)),
  textColumn('lane', (row) => row.lane),
  textColumn('priority', (row) => row.priority),
  textColumn('on_failure', (row) => row.on_failure),
  booleanColumn('has_dependents', (row) => row.has_dependents),
  floatColumn('total_timeout', (row) => row.total_timeout),
  integerColumn('created_at', (row) => row.created_at),
];

/** Where a task stands, apart from what its attempts left behind. */
const standing: readonly Column<TaskRow>[] = [
  textColumn('status', (row) => row.status),
  integerColumn('pending', (row) => row.pending),
  integerColumn('rank', (row) => row.rank),
  textColumn('parked', (row) => row.parked),
  integerColumn('due_at', (row) => row.due_at),
  integerColumn('expires_at', (row) => row.expires_at),
  integerColumn('seq', (row) => row.seq),
];

const attempts: Column<TaskRow> = textColumn('attempts', (row) => attemptsText(row.attempts));

const history: readonly Column<TaskRow>[] = [
  integerColumn('blocked', (row) => row.blocked),
  integerColumn('fence', (row) => row.fence),
  booleanColumn('suspect', (row) => row.suspect),
  integerColumn('attempt_count', (row) => row.attempt_count),
  integerColumn('attempt_base', (row) => row.attempt_base),
  integerColumn('generation', (row) => row.generation),
  attempts,
  integerColumn('budget_from', (row) => row.budget_from),
  integerColumn('settled_at', (row) => row.settled_at),
  textColumn('error', (row) => (row.error === null ? null : JSON.stringify(row.error))),
  textColumn('result_hash', (row) => row.result_hash),
];

/** A task that nothing has happened to yet: its history is what the table's defaults say. */
export const freshTask = [...origin, ...standing];
export const newTask = [...freshTask, ...history];
export const changedTask = [...standing, ...history];

export function isFresh(row: TaskRow): boolean {
  const { attempt_count, attempt_base, generation, fence, blocked } = row;
  const nothingCounted = [attempt_count, attempt_base, generation, fence, blocked].every((n) => n === 0);
  return nothingCounted && !row.suspect && row.settled_at === null && row.error === null;
}

/** A fresh task that is alone, queued, without limits of time: what is left is little, and most tasks are like that. */
export const freshLoneTask: readonly Column<TaskRow>[] = [
  textColumn('task_id', (row) => row.task_id),
  textColumn('lane', (row) => row.lane),
  textColumn('priority', (row) => row.priority),
  textColumn('on_failure', (row) => row.on_failure),
  integerColumn('created_at', (row) => row.created_at),
  integerColumn('rank', (row) => row.rank),
  integerColumn('seq', (row) => row.seq),
];

export function isFreshLone(row: TaskRow): boolean {
  const alone = row.workflow_id === null && row.id === row.task_id && !row.has_dependents;
  const queued = row.status === 'queued' && row.pending === 0 && row.parked === null;
  return isFresh(row) && alone && queued && row.total_timeout === null && row.due_at === null;
}

/** What completing changes from task to task; the rest is the same for all of them, or stays. */
export const completedTask: readonly Column<TaskRow>[] = [
  integerColumn('fence', (row) => row.fence),
  integerColumn('seq', (row) => row.seq),
  integerColumn('attempt_count', (row) => row.attempt_count),
  attempts,
  integerColumn('budget_from', (row) => row.budget_from),
  integerColumn('settled_at', (row) => row.settled_at),
  textColumn('result_hash', (row) => row.result_hash),
];

/** Whether a task did nothing but complete, so that the short statement writes all of it. */
export function onlyCompleted(before: TaskRow, after: TaskRow): boolean {
  return (
    after.status === 'completed' &&
    after.error === null &&
    after.parked === null &&
    after.due_at === null &&
    !after.suspect &&
    before.pending === after.pending &&
    before.blocked === after.blocked &&
    before.rank === after.rank &&
    before.expires_at === after.expires_at &&
    before.attempt_base === after.attempt_base &&
    before.generation === after.generation
  );
}

export const bodyColumnsIn: readonly Column<TaskBody>[] = [
  booleanColumn('uses_input', (body) => body.uses_input),
  textColumn('params_hash', (body) => body.params_hash),
  textColumn('spec', (body) => JSON.stringify(body.spec)),
  textColumn('dependents', (body) => (body.dependents.length === 0 ? null : JSON.stringify(body.dependents))),
  textColumn('inputs', (body) =>
    Object.keys(body.inputs).length === 0 ? null : JSON.stringify(body.inputs),
  ),
  textColumn('params', (body) => inline(body.params)),
];

/** A body that nothing hangs on: nobody waits for the task, and its params refer to nothing. */
export const plainBodyColumnsIn = bodyColumnsIn.filter(({ name }) =>
  ['params_hash', 'spec', 'params'].includes(name),
);

export function isPlain(body: TaskBody): boolean {
  return !body.uses_input && body.dependents.length === 0 && Object.keys(body.inputs).length === 0;
}

/** The text where it is small enough to lie beside its record. */
export function inline(text: string | null): string | null {
  return text !== null && text.length > INLINE_PAYLOAD ? null : text;
}
