import { cancellation, type ErrorRecord } from './errors.ts';
import type { EventMap, EventName, QueuedReason, TaskIntroduction } from './events.ts';
import { KEPT_ATTEMPTS } from './limits.ts';
import type { AttemptRecord, TaskRow } from './records.ts';
import { follow, type Transition } from './task.ts';

/** A task as the log alone tells it. Who holds it and where it stands in the queue is not part of that. */
export type FoldedTask = TaskIntroduction &
  Pick<
    TaskRow,
    | 'task_id'
    | 'created_at'
    | 'status'
    | 'attempt_count'
    | 'attempt_base'
    | 'generation'
    | 'attempts'
    | 'budget_from'
    | 'settled_at'
    | 'error'
    | 'result_hash'
  > & {
    /** Who the newest attempt was routed to. */
    readonly provider: string | null;
    /** When the next attempt may begin; null unless the task is `retrying`. */
    readonly due_at: number | null;
  };

export type TaskEventName = Extract<EventName, `task:${string}`>;

type FoldTask<Name extends TaskEventName> = (
  task: FoldedTask,
  told: EventMap[Name],
  at: number,
) => FoldedTask;

/** A task's first event introduces it. */
export function introduced(
  introduction: TaskIntroduction,
  told: { task_id: string; at: number; waits: boolean },
): FoldedTask {
  return {
    ...introduction,
    task_id: told.task_id,
    created_at: told.at,
    status: follow(told.waits ? 'wait' : 'enqueue', 'new'),
    attempt_count: 0,
    attempt_base: 0,
    generation: 0,
    attempts: [],
    budget_from: null,
    settled_at: null,
    error: null,
    result_hash: null,
    provider: null,
    due_at: null,
  };
}

/** What each further event makes of a task. */
export const foldTask: { readonly [Name in TaskEventName]: FoldTask<Name> } = {
  'task:waiting': (task, { reason }) =>
    reason === 'reopened' ? reopened(task, 'wait_again') : { ...move(task, 'wait_again'), settled_at: null },
  'task:queued': (task, { reason }) =>
    reason === 'reopened' ? reopened(task, 'reopen') : move(task, queuedBy[reason]),
  'task:validated': (task) => move(task, 'validate'),
  'task:routed': (task, { provider }) => ({ ...move(task, 'route'), provider }),
  'task:started': (task, { attempt, started_at }) => ({
    ...move(task, 'start'),
    attempt_count: attempt,
    attempts: [
      ...task.attempts.slice(1 - KEPT_ATTEMPTS),
      { attempt, started_at, ended_at: null, provider: task.provider, error: null },
    ],
    budget_from: task.budget_from ?? started_at,
  }),
  'task:retrying': (task, { due_at, error, counts }, at) => ({
    ...move(ended(task, error, at), 'retry'),
    attempt_base: task.attempt_base + (counts ? 0 : 1),
    due_at,
    error,
  }),
  // The event that follows puts the task back into the queue.
  'task:interrupted': (task, { error, counts = true }, at) => ({
    ...ended(task, error, at),
    attempt_base: task.attempt_base + (counts ? 0 : 1),
    error,
  }),
  'task:completed': (task, { result_hash }, at) => ({
    ...move(ended(task, null, at), 'complete'),
    settled_at: at,
    error: null,
    result_hash,
  }),
  'task:reused': (task, { result_hash }, at) => ({ ...move(task, 'reuse'), settled_at: at, result_hash }),
  'task:failed': (task, { error, attempt_error = error }, at) => ({
    ...move(ended(task, attempt_error, at), 'fail'),
    settled_at: at,
    error,
  }),
  'task:cancelled': (task, { reason }, at) => {
    const error = cancellation(reason);
    return { ...move(ended(task, error, at), 'cancel'), settled_at: at, error };
  },
  'task:skipped': (task, _, at) => ({ ...move(task, 'skip'), settled_at: at }),
};

const queuedBy: Readonly<Record<Exclude<QueuedReason, 'reopened'>, Transition>> = {
  submitted: 'enqueue',
  dependencies_settled: 'release',
  due: 'become_due',
  rescued: 'rescue',
};

function move(task: FoldedTask, transition: Transition): FoldedTask {
  return { ...task, status: follow(transition, task.status), due_at: null };
}

/** A new beginning that a person asked for; what was tried before no longer counts. */
function reopened(task: FoldedTask, transition: 'reopen' | 'wait_again'): FoldedTask {
  return {
    ...move(task, transition),
    attempt_base: task.attempt_count,
    generation: task.generation + 1,
    budget_from: null,
    settled_at: null,
    error: null,
  };
}

function ended(task: FoldedTask, error: ErrorRecord | null, at: number): FoldedTask {
  const last: AttemptRecord | undefined = task.attempts.at(-1);
  if (last === undefined || last.ended_at !== null) return task;
  return { ...task, attempts: [...task.attempts.slice(0, -1), { ...last, ended_at: at, error }] };
}
