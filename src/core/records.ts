import type { ErrorRecord } from './errors.ts';
import type { OutsideRecord } from './outside-record.ts';
import type { Priority } from './priority.ts';
import type { RetryConfig } from './retry.ts';
import type { RunStatus } from './run.ts';
import type { TaskStatus } from './task.ts';

/** One try at a task. `ended_at` is null while it runs. Times are milliseconds of the store's clock. */
export type AttemptRecord = {
  readonly attempt: number;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly provider: string | null;
  readonly error: ErrorRecord | null;
  /** What it has told of itself so far. Only while it runs, and only if it told something. */
  readonly progress?: ProgressRecord;
  /** What it has to do with the outside: what it kept, waits for, and got. Only if there is something. */
  readonly outside?: OutsideRecord;
};

/** How far a running attempt has come, in its own words. `text` is the end of what it put out. */
export type ProgressRecord = {
  readonly progress: number | null;
  readonly total: number | null;
  readonly message: string | null;
  readonly text: string | null;
  readonly at: number;
};

/** What is to happen when a task fails: its dependents are skipped, or go on without its result. */
export type OnFailure = 'skip' | 'continue';

/** The part of a task that changes, kept narrow because every step rewrites it. */
export type TaskRow = {
  readonly task_id: string;
  /** The run it belongs to; null for a task submitted alone. */
  readonly workflow_id: string | null;
  /** The short id inside the workflow; equals `task_id` for a task submitted alone. */
  readonly id: string;
  /** What claims are made by: the protocol, until limits give narrower lanes. */
  readonly lane: string;
  readonly priority: Priority;
  readonly on_failure: OnFailure;
  readonly has_dependents: boolean;
  /** Seconds for the whole task from when it is first queued, or null. */
  readonly total_timeout: number | null;
  readonly created_at: number;
  readonly status: TaskStatus;
  /** Dependencies that are not settled yet. */
  readonly pending: number;
  /** Dependencies that settled badly; while there is one, the task is skipped. */
  readonly blocked: number;
  /** Virtual deadline (see priority.ts); 0 until first queued. */
  readonly rank: number;
  /** Why a queued task may not be claimed now, or whom the call is for that was handed over; else null. See parked.ts. */
  readonly parked: string | null;
  /** The engine that holds it, or null. */
  readonly owner: string | null;
  /** Counts claims: whoever writes with an older one is refused. */
  readonly fence: number;
  /** An engine died holding it: until a call has come back, starts are committed before the call is made. */
  readonly suspect: boolean;
  readonly attempt_count: number;
  /** Attempts made before a person reopened the task: they do not count against `max_attempts`. */
  readonly attempt_base: number;
  /** How often a person reopened it; part of the id its calls carry. */
  readonly generation: number;
  /** The newest attempts, oldest first. */
  readonly attempts: readonly AttemptRecord[];
  /** When the first attempt since submit or reopen started. */
  readonly budget_from: number | null;
  /** When the scheduler has to look at it: a retry that is due, or a total timeout that has run out. */
  readonly due_at: number | null;
  /** When its total timeout runs out. */
  readonly expires_at: number | null;
  readonly settled_at: number | null;
  readonly error: ErrorRecord | null;
  readonly result_hash: string | null;
  /** Number of the newest event, for a task submitted alone; in a workflow its run counts. */
  readonly seq: number;
};

/** The part of a task that never changes. */
export type TaskSpec = {
  readonly name: string;
  readonly protocol: string;
  readonly method: string;
  readonly dependencies: readonly string[];
  readonly retry_config: RetryConfig;
  /** Seconds an attempt may take. */
  readonly timeout: number;
  /** W3C trace context that the task was submitted with. */
  readonly traceparent?: string;
  /** The one agent that may do it, by its name in the registry. Tasks of protocols, and those of older stores, have none. */
  readonly agent?: string;
};

export type TaskBody = {
  readonly task_id: string;
  readonly spec: TaskSpec;
  /** JSON text, handed on as text where nobody looks inside. */
  readonly params: string;
  readonly params_hash: string;
  /** `task_id`s of the tasks that wait for this one. */
  readonly dependents: readonly string[];
  /** Short id → `task_id` of the tasks whose results the params refer to. */
  readonly inputs: Readonly<Record<string, string>>;
  /** The params refer to the run's input, or it has secrets that the call may have to hide. */
  readonly uses_input: boolean;
};

export type RunRow = {
  readonly workflow_id: string;
  readonly name: string;
  readonly version: string | null;
  readonly status: RunStatus;
  readonly total: number;
  /** Tasks not settled yet. */
  readonly open: number;
  /** Tasks that settled so that the run cannot complete. */
  readonly failed: number;
  /** Number of the newest event of the run. */
  readonly seq: number;
  readonly created_at: number;
  readonly settled_at: number | null;
  /** Tells the same submission from another one under the same id. */
  readonly body_hash: string;
  readonly input_hash: string;
  /** The run whose finished results this one started from, or null. */
  readonly retry_of: string | null;
};

export type ResultRow = {
  readonly task_id: string;
  readonly run_key: string;
  readonly result: string;
  readonly hash: string;
  readonly stored_at: number;
};

/** Events, payloads and idempotency keys belong to a run; a lone task is a run of one under its own id. */
export function runKeyOf(task: Pick<TaskRow, 'task_id' | 'workflow_id'>): string {
  return task.workflow_id ?? task.task_id;
}

/** Whether a claim may take the task. Stores keep an index over exactly this. */
export function isClaimable(task: Pick<TaskRow, 'status' | 'owner' | 'parked'>): boolean {
  return task.status === 'queued' && task.owner === null && task.parked === null;
}

/** The attempt that runs goes by the name of another provider; the same list where nothing changes by that. */
export function withProvider<Attempt extends Pick<AttemptRecord, 'provider' | 'ended_at'>>(
  attempts: readonly Attempt[],
  provider: string | null,
): readonly Attempt[] {
  const last = attempts.at(-1);
  if (last === undefined || last.ended_at !== null || provider === null || last.provider === provider)
    return attempts;
  return [...attempts.slice(0, -1), { ...last, provider }];
}
