import type { ErrorRecord } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Priority } from '../core/priority.ts';
import type { OnFailure, RunRow, TaskBody, TaskRow } from '../core/records.ts';
import type { RetryConfig } from '../core/retry.ts';
import type { RunStatus } from '../core/run.ts';
import { MASK, mapSealed, maySeal } from '../core/secrets.ts';
import type { TaskStatus } from '../core/task.ts';

/** A task as people and programs outside see it: times as text, secrets masked. */
export type TaskView = {
  readonly task_id: string;
  readonly id: string;
  readonly workflow_id: string | null;
  readonly name: string;
  readonly protocol: string;
  readonly method: string;
  readonly params: Json;
  readonly dependencies: readonly string[];
  readonly priority: Priority;
  readonly retry_config: RetryConfig;
  readonly timeout: number;
  readonly total_timeout: number | null;
  readonly on_failure: OnFailure;
  readonly created_at: string;
  readonly settled_at: string | null;
  readonly status: TaskStatus;
  readonly attempt_count: number;
  readonly attempts: readonly AttemptView[];
  readonly error: ErrorRecord | null;
  readonly waiting_for: WaitingFor | null;
};

export type AttemptView = {
  readonly attempt: number;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly provider: string | null;
  readonly error: ErrorRecord | null;
};

/** What an open task needs before it goes on. */
export type WaitingFor = {
  /** `provider`: none of this engine's serves its protocol, which is the key. */
  readonly kind: 'dependencies' | 'paused' | 'provider' | 'slot' | 'retry' | 'input';
  readonly key: string | null;
  readonly until: string | null;
};

export type RunView = {
  readonly workflow_id: string;
  readonly name: string;
  readonly version: string | null;
  readonly status: RunStatus;
  readonly created_at: string;
  readonly settled_at: string | null;
};

export type TaskRecord = { readonly task: TaskRow; readonly body: TaskBody };

/** `served`: the protocols for which there is a provider. */
export function viewTask({ task, body }: TaskRecord, served: readonly string[]): TaskView {
  const { name, protocol, method, dependencies, retry_config, timeout } = body.spec;
  const { task_id, id, workflow_id, priority, total_timeout, on_failure, status, attempt_count, error } =
    task;
  return {
    task_id,
    id,
    workflow_id,
    name,
    protocol,
    method,
    params: unsealedView(body.params),
    dependencies,
    priority,
    retry_config,
    timeout,
    total_timeout,
    on_failure,
    created_at: timeText(task.created_at),
    settled_at: maybeTime(task.settled_at),
    status,
    attempt_count,
    attempts: task.attempts.map((attempt) => ({
      ...attempt,
      started_at: timeText(attempt.started_at),
      ended_at: maybeTime(attempt.ended_at),
    })),
    error,
    waiting_for: waitingFor(task, served.includes(protocol) ? null : protocol),
  };
}

export function viewRun(run: RunRow): RunView {
  const { workflow_id, name, version, status } = run;
  const { created_at, settled_at } = run;
  return {
    workflow_id,
    name,
    version,
    status,
    created_at: timeText(created_at),
    settled_at: maybeTime(settled_at),
  };
}

/** A stored JSON text as it may be shown (invariant 10). */
export function unsealedView(text: string): Json {
  const value = JSON.parse(text) as Json;
  return maySeal(text) ? mapSealed(value, () => MASK) : value;
}

function waitingFor(task: TaskRow, unserved: string | null): WaitingFor | null {
  if (task.status === 'waiting') return { kind: 'dependencies', key: null, until: null };
  if (task.status === 'retrying') return { kind: 'retry', key: null, until: maybeTime(task.due_at) };
  if (task.status === 'input_required') return { kind: 'input', key: null, until: maybeTime(task.due_at) };
  if (task.status !== 'queued' || task.owner !== null) return null;
  if (task.parked !== null) return { kind: 'paused', key: task.workflow_id, until: null };
  if (unserved !== null) return { kind: 'provider', key: unserved, until: null };
  return { kind: 'slot', key: task.lane, until: null };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

function maybeTime(ms: number | null): string | null {
  return ms === null ? null : timeText(ms);
}
