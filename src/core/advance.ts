import type { EventMap } from './events.ts';
import { PAUSED } from './parked.ts';
import { rankOf } from './priority.ts';
import type { RunRow, TaskRow } from './records.ts';
import type { RunStatus } from './run.ts';
import { follow } from './task.ts';

/** What a settled task can touch: those that wait for it, and its run's counters. Never the whole run. */
export type Neighbourhood = {
  /** The task, settled. */
  readonly task: TaskRow;
  readonly dependents: readonly TaskRow[];
  readonly run: RunRow;
};

export type Advance = {
  readonly run: RunRow;
  /** Dependents with their new counts, whatever their status. */
  readonly dependents: readonly TaskRow[];
  /** Which of them go into the queue now. */
  readonly released: readonly TaskRow[];
  /** Which of them can never run; each is settled and has a neighbourhood of its own. */
  readonly skipped: readonly TaskRow[];
  readonly runEnd: {
    event: 'workflow:completed' | 'workflow:failed';
    data: EventMap['workflow:failed'] | object;
  } | null;
};

/** What follows from a task having settled. */
export function advance({ task, dependents, run }: Neighbourhood, now: number): Advance {
  const bad = blocksDependents(task);
  const after = dependents.map((row) => countDown(row, { bad, run, now }));
  const changed = after.filter((row, index) => row.status !== dependents[index]?.status);
  const counted = { ...run, open: run.open - 1, failed: run.failed + (failsRun(task) ? 1 : 0) };
  const end = counted.open === 0 ? endOf(counted, now) : null;
  return {
    run: end?.run ?? counted,
    dependents: after,
    released: changed.filter((row) => row.status === 'queued'),
    skipped: changed.filter((row) => row.status === 'skipped'),
    runEnd: end?.told ?? null,
  };
}

/** Whether those that wait for this task are skipped because of how it settled. */
export function blocksDependents(task: TaskRow): boolean {
  return task.status === 'skipped' || failsRun(task);
}

/** Whether a run with this task in it cannot complete any more. */
export function failsRun(task: TaskRow): boolean {
  return (task.status === 'failed' || task.status === 'cancelled') && task.on_failure === 'skip';
}

function countDown(row: TaskRow, context: { bad: boolean; run: RunRow; now: number }): TaskRow {
  const counted = { ...row, pending: row.pending - 1, blocked: row.blocked + (context.bad ? 1 : 0) };
  if (row.status !== 'waiting') return counted;
  if (counted.blocked > 0) return { ...counted, status: follow('skip', 'waiting'), settled_at: context.now };
  if (counted.pending > 0) return counted;
  return { ...counted, status: follow('release', 'waiting'), ...queuedFields(counted, context) };
}

/** What a task needs to stand in the queue, apart from its status. */
export function queuedFields(
  task: Pick<TaskRow, 'priority' | 'total_timeout'>,
  context: { run: Pick<RunRow, 'status'> | null; now: number },
): Pick<TaskRow, 'rank' | 'parked' | 'expires_at' | 'due_at'> {
  const expires_at = task.total_timeout === null ? null : context.now + Math.ceil(task.total_timeout * 1000);
  return {
    rank: rankOf(task.priority, context.now),
    parked: parkedIn(context.run?.status ?? 'running'),
    expires_at,
    due_at: expires_at,
  };
}

/** The same for a task that is not in the queue. */
export const unqueuedFields: ReturnType<typeof queuedFields> = {
  rank: 0,
  parked: null,
  expires_at: null,
  due_at: null,
};

/** Tasks of a paused run stand in the queue but may not be claimed. */
export function parkedIn(status: RunStatus): string | null {
  return status === 'paused' ? PAUSED : null;
}

function endOf(run: RunRow, now: number): { run: RunRow; told: NonNullable<Advance['runEnd']> } {
  const failed = run.failed > 0;
  return {
    run: { ...run, status: failed ? 'failed' : 'completed', settled_at: now },
    told: failed
      ? { event: 'workflow:failed', data: { failed: run.failed } }
      : { event: 'workflow:completed', data: {} },
  };
}
