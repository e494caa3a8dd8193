import { INLINE_PAYLOAD } from '../../core/limits.ts';
import type { TaskBody, TaskRow } from '../../core/records.ts';
import { booleanColumn, type Column, floatColumn, integerColumn, textColumn } from './columns.ts';

/** A task is found by it and keeps it. */
export const taskKey: Column<TaskRow> = textColumn('task_id', (row) => row.task_id);

/** What never changes after the task was accepted. */
export const taskOrigin: readonly Column<TaskRow>[] = [
  textColumn('workflow_id', (row) => row.workflow_id),
  textColumn('id', (row) => row.id),
  textColumn('lane', (row) => row.lane),
  textColumn('priority', (row) => row.priority),
  textColumn('on_failure', (row) => row.on_failure),
  booleanColumn('has_dependents', (row) => row.has_dependents),
  floatColumn('total_timeout', (row) => row.total_timeout),
  integerColumn('created_at', (row) => row.created_at),
];

/** What a step may change. */
export const taskState: readonly Column<TaskRow>[] = [
  textColumn('status', (row) => row.status),
  integerColumn('pending', (row) => row.pending),
  integerColumn('blocked', (row) => row.blocked),
  integerColumn('rank', (row) => row.rank),
  textColumn('parked', (row) => row.parked),
  textColumn('owner', (row) => row.owner),
  integerColumn('fence', (row) => row.fence),
  booleanColumn('suspect', (row) => row.suspect),
  integerColumn('attempt_count', (row) => row.attempt_count),
  integerColumn('attempt_base', (row) => row.attempt_base),
  integerColumn('generation', (row) => row.generation),
  textColumn('attempts', (row) => (row.attempts.length === 0 ? '[]' : JSON.stringify(row.attempts))),
  integerColumn('budget_from', (row) => row.budget_from),
  integerColumn('due_at', (row) => row.due_at),
  integerColumn('expires_at', (row) => row.expires_at),
  integerColumn('settled_at', (row) => row.settled_at),
  textColumn('error', (row) => (row.error === null ? null : JSON.stringify(row.error))),
  textColumn('result_hash', (row) => row.result_hash),
  integerColumn('seq', (row) => row.seq),
];

export const bodyColumnsIn: readonly Column<TaskBody>[] = [
  textColumn('task_id', (body) => body.task_id),
  booleanColumn('uses_input', (body) => body.uses_input),
  textColumn('params_hash', (body) => body.params_hash),
  textColumn('spec', (body) => JSON.stringify(body.spec)),
  textColumn('dependents', (body) => (body.dependents.length === 0 ? null : JSON.stringify(body.dependents))),
  textColumn('inputs', (body) =>
    Object.keys(body.inputs).length === 0 ? null : JSON.stringify(body.inputs),
  ),
  textColumn('params', (body) => inline(body.params)),
];

/** The text where it is small enough to lie beside its record. */
export function inline(text: string): string | null {
  return text.length > INLINE_PAYLOAD ? null : text;
}
