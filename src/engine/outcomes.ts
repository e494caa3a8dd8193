import type { ErrorRecord } from '../core/errors.ts';
import type { Timers } from '../core/ports/clock.ts';
import type { Store } from '../core/ports/store.ts';
import { isRunSettled, type RunStatus } from '../core/run.ts';
import { isSettled, type TaskStatus } from '../core/task.ts';
import { Settlements } from './settlements.ts';

/** How far a task is and, once it has settled, how it ended. `result` is JSON text. */
export type Outcome = {
  readonly task_id: string;
  readonly status: TaskStatus;
  readonly result: string | null;
  readonly error: ErrorRecord | null;
  /** When the result was recorded, by the store's clock; null without one. */
  readonly stored_at: number | null;
};

export type RunOutcome = { readonly workflow_id: string; readonly status: RunStatus };

export type Outcomes = Settlements<Outcome>;
export type RunOutcomes = Settlements<RunOutcome>;

export function taskOutcomes({ reads }: Store, timers: Timers): Outcomes {
  return new Settlements<Outcome>({
    timers,
    read: async (task_id) => {
      const found = await reads.task(task_id);
      if (found === null) return null;
      const { status, error } = found.task;
      if (status !== 'completed') return { task_id, status, result: null, error, stored_at: null };
      const stored = await reads.result(task_id);
      const { result = null, stored_at = null } = stored ?? {};
      return { task_id, status, result, error: null, stored_at };
    },
    isSettled: ({ status }) => isSettled(status),
    isFinal: ({ status }) => status === 'completed',
    sizeOf: ({ result }) => result?.length ?? 0,
  });
}

export function runOutcomes({ reads }: Store, timers: Timers): RunOutcomes {
  return new Settlements<RunOutcome>({
    timers,
    read: async (workflow_id) => {
      const found = await reads.run(workflow_id);
      return found === null ? null : { workflow_id, status: found.run.status };
    },
    isSettled: ({ status }) => isRunSettled(status),
    // A completed run can be reopened too: one of its failed tasks may have been allowed to fail.
    isFinal: () => false,
    sizeOf: () => 0,
  });
}
