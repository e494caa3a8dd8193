import type { Answer } from '../answer.ts';
import type { AttemptName } from '../attempt-name.ts';
import type { SettledTask } from '../changes.ts';
import type { ErrorCode } from '../error-codes.ts';
import type { Priority } from '../priority.ts';
import type { TaskRow, TaskSpec } from '../records.ts';

/** A run that was accepted just now, or a task alone. What it was given to work on is not shown here. */
export type ObservedRun = {
  readonly workflow: { readonly workflow_id: string; readonly name: string } | null;
  readonly tasks: readonly ObservedTask[];
};

export type ObservedTask = {
  readonly task_id: string;
  readonly id: string;
  readonly priority: Priority;
  readonly spec: TaskSpec;
};

/** One try at a task, as it begins. `provider` is null where none was found. */
export type ObservedAttempt = {
  readonly task: Pick<TaskRow, 'task_id' | 'id' | 'workflow_id' | 'priority' | 'created_at'>;
  readonly spec: TaskSpec;
  readonly attempt: number;
  readonly provider: string | null;
};

export interface AttemptSpan {
  /** W3C trace context that the call carries to the service; null for none. */
  readonly traceparent: string | null;
  /**
   * Called once, with the answer as it is recorded; `ms` is how long the call took. Null: the task was taken away or
   * cancelled meanwhile, and nobody asks for an answer any more.
   */
  ended(answer: Answer | null, ms: number): void;
  /** Instead of `ended`: it was handed over, and how it ended is heard by another engine, if by any. */
  left(): void;
}

/** An attempt that another engine handed over, or this one before it was started anew. */
export type ArrivedAttempt = AttemptName & { readonly protocol: string; readonly provider: string | null };

/**
 * Hears what an engine does, for metrics and traces. Called in the engine's hot path: it must be quick, must not
 * throw, and must not keep what it is shown. Answers hold payloads, which it must not tell (invariant 10).
 */
export interface Observer {
  /** Only what is new: a submission that had been accepted before is not told again. */
  submitted(runs: readonly ObservedRun[]): void;
  attemptStarted(attempt: ObservedAttempt): AttemptSpan;
  /** How such an attempt ended, as it is recorded, and how long its call took. */
  arrived(attempt: ArrivedAttempt, answer: Answer, ms: number): void;
  committed(commit: { readonly writes: number; readonly claimed: number; readonly ms: number }): void;
  commitFailed(code: ErrorCode): void;
  /** Told by the engine whose commit settled it. */
  settled(task: SettledTask): void;
  leaseLost(): void;
}

const unobserved: AttemptSpan = { traceparent: null, ended() {}, left() {} };

/** Where nobody looks. */
export const noObserver: Observer = {
  submitted() {},
  attemptStarted: () => unobserved,
  arrived() {},
  committed() {},
  commitFailed() {},
  settled() {},
  leaseLost() {},
};
