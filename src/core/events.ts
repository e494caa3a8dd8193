import type { ErrorRecord } from './errors.ts';
import type { ToldWait } from './outside-record.ts';
import type { Priority } from './priority.ts';
import type { ProgressTold } from './progress.ts';

/** What a reader of the log must know of a task to follow it. Told once, when the task appears. */
export type TaskIntroduction = {
  readonly id: string;
  readonly name: string;
  readonly protocol: string;
  readonly method: string;
  readonly priority: Priority;
  readonly dependencies: readonly string[];
  readonly params_hash: string;
  /** The one agent that is to do it, where there is one. */
  readonly agent?: string;
};

/** All that can happen, and what is told of it: what changed and hashes of payloads, never payloads or secrets. */
export type EventMap = {
  /** `retry_of`: the run whose finished results this one starts from. */
  'workflow:started': {
    name: string;
    version: string | null;
    total: number;
    input_hash: string;
    retry_of?: string;
  };
  'workflow:paused': Record<never, never>;
  'workflow:resumed': Record<never, never>;
  'workflow:reopened': { task_id: string };
  'workflow:completed': Record<never, never>;
  'workflow:failed': { failed: number };
  'workflow:cancelled': { reason: string | null };
  'task:waiting': { reason: WaitingReason; task?: TaskIntroduction };
  'task:queued': { reason: QueuedReason; task?: TaskIntroduction };
  'task:validated': Record<never, never>;
  /** `via`: its call was handed over, and starts when whoever makes it says so. */
  'task:routed': { provider: string | null; via?: 'bridge' };
  'task:started': { attempt: number; started_at: number };
  /** What a running attempt tells of itself: what changed, and the next piece of its output. No part of the result. */
  'task:progress': { attempt: number } & ProgressTold;
  /** A running attempt left something for the next one, should it be cut off. */
  'task:kept': { attempt: number; kept_hash: string };
  /** The attempt ended to wait for someone: `ask` is what they have to answer, `until` by when. */
  'task:input_required': { attempt: number; kept_hash: string } & ToldWait;
  /** The attempt ended while a service outside goes on with it, which is to call back. */
  'task:notification_awaited': { attempt: number; kept_hash: string } & ToldWait;
  /** What came from outside for this attempt. `early`: before anybody waited for it. */
  'task:responded': { attempt: number; response_hash: string; early?: true };
  /** `counts`: whether the attempt that ended uses up one of `max_attempts`. */
  'task:retrying': { attempt: number; due_at: number; error: ErrorRecord; counts: boolean };
  /** `counts` false: the engine stopped of its own accord, and the attempt is none of those that `max_attempts` allows. */
  'task:interrupted': { attempt: number; error: ErrorRecord; counts?: false };
  'task:completed': { attempt: number; result_hash: string };
  /** `attempt_error`: how the attempt ended, where that is not what the task failed for. */
  'task:failed': { attempt: number; error: ErrorRecord; attempt_error?: ErrorRecord };
  /** Completed without a call, by the result that the same task has in an earlier run. */
  'task:reused': { from: { workflow_id: string; task_id: string }; result_hash: string };
  'task:cancelled': { reason: string | null };
  'task:skipped': { because: string };
  'provider:connected': { provider: string; protocol: string };
  'provider:disconnected': { provider: string; protocol: string; reason: string | null };
  /** It did not answer when it was asked how it is, and gets no calls until it does. */
  'provider:unhealthy': { provider: string; protocol: string; reason: string };
  'provider:healthy': { provider: string; protocol: string };
  /** Null: everything. */
  'queue:paused': { protocol: string | null };
  'queue:resumed': { protocol: string | null };
};

export type WaitingReason = 'submitted' | 'reopened' | 'dependency_reopened';

/** `unanswered`: nobody outside has answered in time, and it goes on without. */
export type QueuedReason =
  | 'submitted'
  | 'dependencies_settled'
  | 'due'
  | 'rescued'
  | 'reopened'
  | 'responded'
  | 'unanswered';

export type EventName = keyof EventMap;

export const eventNames = [
  'workflow:started',
  'workflow:paused',
  'workflow:resumed',
  'workflow:reopened',
  'workflow:completed',
  'workflow:failed',
  'workflow:cancelled',
  'task:waiting',
  'task:queued',
  'task:validated',
  'task:routed',
  'task:started',
  'task:progress',
  'task:kept',
  'task:input_required',
  'task:notification_awaited',
  'task:responded',
  'task:retrying',
  'task:interrupted',
  'task:completed',
  'task:failed',
  'task:reused',
  'task:cancelled',
  'task:skipped',
  'provider:connected',
  'provider:disconnected',
  'provider:unhealthy',
  'provider:healthy',
  'queue:paused',
  'queue:resumed',
] as const satisfies readonly EventName[];

/** One thing that happened, before it has its numbers. */
export type Happening = {
  [Name in EventName]: { readonly event: Name; readonly task_id?: string; readonly data: EventMap[Name] };
}[EventName];

/** What happened to one run within one commit: kept, numbered and read as one row. */
export type EventRow = {
  /** Global number of the last event in the row. */
  readonly cursor: number;
  /** Null for what belongs to no run. */
  readonly run_key: string | null;
  readonly workflow_id: string | null;
  /** The run's number of the first event in the row; 0 without a run. */
  readonly first_seq: number;
  readonly at: number;
  readonly events: readonly Happening[];
};

/** An event as readers get it. */
export type Event = Happening & {
  readonly cursor: number;
  readonly seq: number;
  readonly at: number;
  readonly workflow_id: string | null;
};

/** The single events of a row, each with its own numbers. */
export function eventsOf(row: EventRow): Event[] {
  const first = row.cursor - row.events.length + 1;
  return row.events.map((happening, index) => ({
    ...happening,
    cursor: first + index,
    seq: row.run_key === null ? 0 : row.first_seq + index,
    at: row.at,
    workflow_id: row.workflow_id,
  }));
}
