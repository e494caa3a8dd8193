import { cancellation, type ErrorRecord } from './errors.ts';
import type { EventMap, EventName, QueuedReason, TaskIntroduction } from './events.ts';
import { KEPT_ATTEMPTS } from './limits.ts';
import { lastProvider, type ToldAttempt, withNext, withOutside, withoutLeft } from './outside.ts';
import { progressed, withoutProgress } from './progress.ts';
import { type TaskRow, withProvider } from './records.ts';
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
    | 'budget_from'
    | 'settled_at'
    | 'error'
    | 'result_hash'
  > & {
    readonly attempts: readonly ToldAttempt[];
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
  'task:queued': (task, { reason }) => {
    if (reason === 'reopened') return reopened(task, 'reopen');
    const queued = move(task, queuedBy[reason]);
    return queuedBy[reason] === 'resume' ? { ...queued, budget_from: null } : queued;
  },
  'task:validated': (task) => move(task, 'validate'),
  // While it runs: another provider was asked too, and it is the one that answered.
  'task:routed': (task, { provider }) =>
    task.status === 'executing' || task.status === 'routed'
      ? { ...task, provider, attempts: withProvider(task.attempts, provider) }
      : { ...move(task, 'route'), provider },
  'task:started': (task, { attempt, started_at }) => ({
    ...move(task, 'start'),
    attempt_count: attempt,
    attempts: withNext(task.attempts.slice(1 - KEPT_ATTEMPTS), {
      attempt,
      started_at,
      ended_at: null,
      provider: task.provider,
      error: null,
    }),
    budget_from: task.budget_from ?? started_at,
  }),
  'task:progress': (task, { attempt: _, ...told }, at) => ({
    ...task,
    attempts: progressed(task.attempts, told, at),
  }),
  'task:kept': (task, { kept_hash: hash }) => ({
    ...task,
    attempts: withOutside(task.attempts, (outside) => ({
      ...outside,
      kept: { provider: lastProvider(task.attempts), hash },
    })),
  }),
  'task:input_required': (task, told, at) => move(waits(task, told, at), 'ask'),
  'task:notification_awaited': (task, told, at) => move(waits(task, told, at), 'await'),
  'task:responded': (task, { response_hash: hash, early }) => ({
    ...task,
    attempts: withOutside(task.attempts, (outside) => {
      if (early) return { ...outside, early: { hash } };
      const { early: _, ...rest } = outside;
      return { ...rest, response: { hash } };
    }),
  }),
  'task:retrying': (task, { due_at, error, counts }, at) => ({
    ...move((counts ? ended : cut)(task, error, at), 'retry'),
    attempt_base: task.attempt_base + (counts ? 0 : 1),
    due_at,
    error,
  }),
  // The event that follows puts the task back into the queue.
  'task:interrupted': (task, { error, counts = true }, at) => ({
    ...cut(task, error, at),
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
  responded: 'resume',
  unanswered: 'resume',
};

function move(task: FoldedTask, transition: Transition): FoldedTask {
  const moved: FoldedTask = { ...task, status: follow(transition, task.status), due_at: null };
  // It was handed over, and came to its end without an attempt.
  if (task.status !== 'routed' || transition === 'start') return moved;
  return { ...moved, provider: lastProvider(task.attempts) };
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
  const { attempts, ...rest } = cut(task, error, at);
  return { ...rest, attempts: withoutLeft(attempts) };
}

/** It ended, and what it kept is left to the next one. */
function cut(task: FoldedTask, error: ErrorRecord | null, at: number): FoldedTask {
  const last = task.attempts.at(-1);
  if (last === undefined || last.ended_at !== null) return task;
  return {
    ...task,
    attempts: [...task.attempts.slice(0, -1), { ...withoutProgress(last), ended_at: at, error }],
  };
}

function waits(
  task: FoldedTask,
  { kept_hash: hash, kind, ask, until, late }: EventMap['task:input_required'],
  at: number,
): FoldedTask {
  const { attempts, ...rest } = cut(task, null, at);
  return {
    ...rest,
    attempt_base: task.attempt_base + 1,
    error: null,
    attempts: withOutside(attempts, ({ early }) => ({
      kept: { provider: lastProvider(attempts), hash },
      ...(early && { early }),
      wait: { kind, ask, until, late },
    })),
  };
}
