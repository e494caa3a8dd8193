import type { ErrorRecord } from './errors.ts';
import type { Event } from './events.ts';
import type { Priority } from './priority.ts';
import type { RunRow, TaskBody, TaskRow } from './records.ts';
import type { RunStatus } from './run.ts';
import type { TaskStatus } from './task.ts';

/** A task as the log alone tells it. */
export type FoldedTask = {
  readonly task_id: string;
  readonly id: string;
  readonly protocol: string;
  readonly method: string;
  readonly priority: Priority;
  readonly dependencies: readonly string[];
  readonly params_hash: string;
  readonly status: TaskStatus;
  readonly attempt_count: number;
  readonly provider: string | null;
  readonly due_at: number | null;
  readonly error: ErrorRecord | null;
  readonly result_hash: string | null;
};

export type FoldedRun = {
  /** Null for a task submitted alone. */
  readonly run: { readonly name: string; readonly version: string | null; readonly status: RunStatus } | null;
  readonly seq: number;
  readonly tasks: ReadonlyMap<string, FoldedTask>;
};

export const emptyRun: FoldedRun = { run: null, seq: 0, tasks: new Map() };
