import { agentProviderId } from '../core/agent.ts';
import { calledProvider } from '../core/away.ts';
import type { ErrorRecord } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { waitOf } from '../core/outside.ts';
import { lineOf, unservedCall, unservedModel, unservedOnly } from '../core/parked.ts';
import type { Line, LineKind, Router } from '../core/ports/router.ts';
import type { Priority } from '../core/priority.ts';
import { isPaused, nothingPaused, type PausedQueues } from '../core/queue-pause.ts';
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
  /** The one agent that is to do it, or null. */
  readonly agent: string | null;
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
  /** What the attempt that runs has told of itself; null where it has told nothing, or none runs. */
  readonly progress: ProgressView | null;
};

export type ProgressView = {
  readonly attempt: number;
  readonly progress: number | null;
  readonly total: number | null;
  readonly message: string | null;
  /** The end of what it has put out so far. */
  readonly text: string | null;
  readonly at: string;
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
  /**
   * `provider`: none serves its protocol, which is the key, or none that was asked has its method. `paused`: its run is, or the queue of its
   * protocol; the key says which of the two. `input`, `auth`: someone has to answer, or to grant something. `notification`: a service goes
   * on with it, and is to call back. `bridge`: its call was handed over for the provider in the key, and has not begun; `until`: then it is given
   * up. `concurrency`, `rate`, `breaker`, `unhealthy`, `drained`: it stands in the line that the key names, or behind it.
   */
  readonly kind:
    | 'dependencies'
    | 'paused'
    | 'provider'
    | 'slot'
    | 'retry'
    | 'input'
    | 'auth'
    | 'notification'
    | 'bridge'
    | LineKind;
  readonly key: string | null;
  readonly until: string | null;
  /** What is asked, where it waits for someone or something outside, and the attempt that asks it. */
  readonly ask?: Json;
  readonly attempt?: number;
};

export type RunView = {
  readonly workflow_id: string;
  readonly name: string;
  readonly version: string | null;
  readonly status: RunStatus;
  readonly created_at: string;
  readonly settled_at: string | null;
  /** The run whose finished results this one started from. */
  readonly retry_of: string | null;
};

export type TaskRecord = { readonly task: TaskRow; readonly body: TaskBody };

/** Of the protocols for which there is a provider, and what their tasks wait for that are not even claimed. */
export type Served = Pick<Router, 'protocols' | 'heldBackBy' | 'opensIn'>;

/** Which protocols are not claimed from now, and what time it is by the store; what waits is told without times where that is not known. */
export type Seen = { readonly paused?: PausedQueues; readonly now?: number };

export function viewTask({ task, body }: TaskRecord, router: Served, seen: Seen = {}): TaskView {
  const { name, protocol, method, agent = null, dependencies, retry_config, timeout } = body.spec;
  const { task_id, id, workflow_id, priority, total_timeout, on_failure, status, attempt_count, error } =
    task;
  return {
    task_id,
    id,
    workflow_id,
    name,
    protocol,
    method,
    agent,
    params: maskedView(body.params),
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
    attempts: task.attempts.map(({ progress: _, outside: _outside, ...attempt }) => ({
      ...attempt,
      started_at: timeText(attempt.started_at),
      ended_at: maybeTime(attempt.ended_at),
    })),
    error,
    waiting_for: waitingFor(task, { router, seen, agent }),
    progress: viewProgress(task),
  };
}

export function viewProgress({ attempts }: TaskRow): ProgressView | null {
  const last = attempts.at(-1);
  if (last?.progress === undefined) return null;
  const { progress, total, message, text, at } = last.progress;
  return { attempt: last.attempt, progress, total, message, text, at: timeText(at) };
}

export function viewRun(run: RunRow): RunView {
  const { workflow_id, name, version, status, created_at, settled_at, retry_of } = run;
  return {
    workflow_id,
    name,
    version,
    status,
    created_at: timeText(created_at),
    settled_at: maybeTime(settled_at),
    retry_of,
  };
}

/** A stored JSON text as it may be shown (invariant 10). */
export function maskedView(text: string): Json {
  const value = JSON.parse(text) as Json;
  return maySeal(text) ? mapSealed(value, () => MASK) : value;
}

function waitingFor(
  task: TaskRow,
  { router, seen, agent }: { router: Served; seen: Seen; agent: string | null },
): WaitingFor | null {
  if (task.status === 'waiting') return { kind: 'dependencies', key: null, until: null };
  if (task.status === 'retrying') return { kind: 'retry', key: null, until: maybeTime(task.due_at) };
  const waits = waitOf(task);
  if (waits !== null) {
    const { attempt, wait } = waits;
    return { kind: wait.kind, key: null, until: maybeTime(task.due_at), ask: wait.ask, attempt };
  }
  if (task.status === 'routed')
    return { kind: 'bridge', key: calledProvider(task), until: maybeTime(task.due_at) };
  if (task.status !== 'queued') return null;
  if (task.owner !== null) return { kind: 'slot', key: task.lane, until: null };
  if (unservedCall(task) !== null) return { kind: 'provider', key: unservedKey(task), until: null };
  const line = lineOf(task.parked);
  if (line !== null) return inLine(line, task, { router, seen });
  if (task.parked !== null) return { kind: 'paused', key: task.workflow_id, until: null };
  if (isPaused(seen.paused ?? nothingPaused, task.lane))
    return { kind: 'paused', key: task.lane, until: null };
  if (router.protocols().includes(task.lane)) return heldBack(task, { router, seen });
  return { kind: 'provider', key: agent === null ? task.lane : agentProviderId(agent), until: null };
}

type Looking = { readonly router: Served; readonly seen: Seen };

/** Others wait for the same: it stays in the queue until it is as good as its turn. */
function heldBack(task: TaskRow, { router, seen }: Looking): WaitingFor {
  const line = router.heldBackBy?.(task.lane) ?? null;
  if (line === null) return { kind: 'slot', key: task.lane, until: null };
  return inLine(line, task, { router, seen });
}

/** Until the first of the line may come; others may stand before this one. */
function inLine(
  { kind, key }: Pick<Line, 'kind' | 'key'>,
  { lane }: TaskRow,
  { router, seen }: Looking,
): WaitingFor {
  const ms = router.opensIn?.(lane, { kind, key }) ?? null;
  const until = ms === null || seen.now === undefined ? null : timeText(Math.ceil(seen.now + ms));
  return { kind, key, until };
}

function unservedKey(task: TaskRow): string {
  const model = unservedModel(task);
  return model === null ? (unservedOnly(task) ?? task.lane) : `${task.lane} model=${model}`;
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

function maybeTime(ms: number | null): string | null {
  return ms === null ? null : timeText(ms);
}
