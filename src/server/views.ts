import type { ResultOf } from '../api/methods.ts';
import type { RunRow, TaskRow } from '../core/records.ts';
import type { RunStatus } from '../core/run.ts';
import type { TaskStatus } from '../core/task.ts';
import type { AcceptedRun } from '../core/writes.ts';
import { viewProgress } from '../engine/views.ts';

export type TaskItem = ResultOf<'task.list'>['items'][number];

/** A task as lists show it. */
export function taskItem(row: TaskRow): TaskItem {
  const { task_id, id, workflow_id, status, priority, attempt_count, error } = row;
  return {
    task_id,
    id,
    workflow_id,
    // Claims are made by protocol, so the lane is its name.
    protocol: row.lane,
    status,
    priority,
    attempt_count,
    created_at: timeText(row.created_at),
    settled_at: maybeTime(row.settled_at),
    error,
    progress: progressItem(row),
  };
}

/** Without the text, of which a list has no use. */
function progressItem(row: TaskRow): TaskItem['progress'] {
  const told = viewProgress(row);
  if (told === null) return null;
  const { text: _, ...item } = told;
  return item;
}

export function runItem(row: RunRow): ResultOf<'workflow.list'>['items'][number] {
  const { workflow_id, name, version, status, retry_of } = row;
  return {
    workflow_id,
    name,
    version,
    status,
    created_at: timeText(row.created_at),
    settled_at: maybeTime(row.settled_at),
    retry_of,
  };
}

export function submittedTask({ tasks, status }: AcceptedRun): ResultOf<'task.submit'> {
  const [[, task_id] = ['', '']] = tasks;
  return { task_id, status: status as TaskStatus };
}

export function submittedRun({ workflow_id, status, tasks }: AcceptedRun): ResultOf<'workflow.submit'> {
  return { workflow_id: workflow_id ?? '', status: status as RunStatus, tasks: Object.fromEntries(tasks) };
}

export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

export function maybeTime(ms: number | null): string | null {
  return ms === null ? null : timeText(ms);
}
