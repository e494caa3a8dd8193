import type { NewAgent } from './agent.ts';
import type { Answer } from './answer.ts';
import type { AttemptName } from './attempt-name.ts';
import type { ErrorRecord } from './errors.ts';
import type { Happening } from './events.ts';
import type { Priority } from './priority.ts';
import type { ProgressTold } from './progress.ts';
import type { PausedQueues } from './queue-pause.ts';
import type { OnFailure, TaskSpec } from './records.ts';
import type { RunStatus } from './run.ts';
import type { TaskStatus } from './task.ts';

/** A task as it is handed to the store for the first time. */
export type NewTask = {
  readonly task_id: string;
  readonly id: string;
  readonly lane: string;
  readonly priority: Priority;
  readonly on_failure: OnFailure;
  readonly total_timeout: number | null;
  readonly spec: TaskSpec;
  readonly params: string;
  /** Dependencies to wait for, counted; those that are reused are none. */
  readonly pending: number;
  readonly dependents: readonly string[];
  readonly inputs: Readonly<Record<string, string>>;
  readonly uses_input: boolean;
  /** Completed from the start, by the result of this task. Only where all that it waits for is, too. */
  readonly reused?: ReusedResult;
};

/** A result and the task of an earlier run that it comes from. */
export type ReusedResult = {
  readonly workflow_id: string;
  readonly task_id: string;
  readonly result: string;
};

/** A workflow with its tasks, or one task alone. */
export type NewRun = {
  readonly workflow: NewWorkflow | null;
  readonly tasks: readonly NewTask[];
  /** Empty where nobody can send the same again: neither key nor id were given by the sender. */
  readonly body_hash: string;
  readonly idempotency_key: string | null;
};

export type NewWorkflow = {
  readonly workflow_id: string;
  readonly name: string;
  readonly version: string | null;
  readonly input: string;
  /** The run whose results `reused` tasks bring along. */
  readonly retry_of?: string;
};

/** Names a claim: only its holder may write with it. */
export type Lease = { readonly task_id: string; readonly owner: string; readonly fence: number };

export type AttemptStart = {
  readonly attempt: number;
  readonly provider: string | null;
  /** How long ago it started, by the engine's monotonic clock. */
  readonly ago_ms: number;
};

/** What somebody still does for a task that no engine held when it came to its end: nobody has told them. */
export type Abandoned = AbandonedWork | AbandonedAttempt;

export type AbandonedWork = {
  readonly task_id: string;
  readonly generation: number;
  readonly provider: string;
  /** JSON text, as the provider kept it. */
  readonly kept: string;
};

/** A call that was handed over. */
export type AbandonedAttempt = AttemptName & { readonly provider: string | null };

/** Every change of state, as a domain verb with the answer it gets. */
export type WriteMap = {
  submit: {
    write: { runs: readonly NewRun[] };
    answer: { runs: readonly AcceptedRun[] };
  };
  start: { write: Lease & { start: AttemptStart }; answer: { started: boolean } };
  /** What a running attempt tells of itself. Said twice it is told twice, so nobody says it again. */
  progress: {
    write: Lease & { start: AttemptStart; told: ProgressTold };
    answer: { recorded: boolean };
  };
  /** What a running attempt leaves for the next one, as JSON text. */
  keep: {
    write: Lease & { start: AttemptStart; kept: string };
    answer: { recorded: boolean };
  };
  /**
   * What came from outside. `attempt`: the one that asked, null for whichever asks now. `response` as it is stored, and
   * `mark`, by which the same one is known again. `token`: the mark of what proves it, null where that is not needed.
   * `early`: may be kept for an attempt that does not wait yet, which whoever writes has checked to be meant.
   */
  respond: {
    write: {
      task_id: string;
      attempt: number | null;
      response: string;
      mark: string;
      token: string | null;
      early: boolean;
    };
    /** `recorded` false: this very answer was taken before. */
    answer: { status: TaskStatus; recorded: boolean };
  };
  settle: {
    /** `chance` in [0, 1) is drawn by the engine, so that the decision stays pure. */
    write: Lease & { start: AttemptStart | null; answer: Answer; chance: number };
    /** `due_in_ms`: when the scheduler has to look because of it, for a retry or for a total timeout that began. */
    answer: { recorded: boolean; status: TaskStatus | null; due_in_ms: number | null };
  };
  /** The call of a claimed task was taken over by somebody else, who has so long to bring an answer. */
  hand_over: {
    write: Lease & { generation: number; start: AttemptStart; bound_ms: number };
    /** `unwanted`: it was handed over in vain, and whoever makes the call may be told so. */
    answer: { handed_over: boolean; unwanted: boolean; due_in_ms: number | null };
  };
  /** What comes back of calls that were handed over, from whichever engine hears of it. */
  start_away: { write: AttemptName & { ago_ms: number }; answer: { started: boolean } };
  progress_away: { write: AttemptName & { told: ProgressTold }; answer: { recorded: boolean } };
  keep_away: {
    write: AttemptName & { kept: string };
    answer: { recorded: boolean; soon: boolean };
  };
  arrive: {
    /** `ago_ms`: when the call began, where nobody said so then. */
    write: AttemptName & { provider: string | null; ago_ms: number; answer: Answer; chance: number };
    answer: { recorded: boolean; status: TaskStatus | null; due_in_ms: number | null };
  };
  release: {
    /**
     * `unserved`: the method for which the engine has no provider. Whoever has one takes them up by `wake_due`.
     * `line`: the name of the line in which they wait until it is called.
     */
    write: {
      owner: string;
      leases: readonly { task_id: string; fence: number }[];
      unserved?: string;
      line?: string;
    };
    answer: { released: number };
  };
  /**
   * The best of those who wait in a line come back to the queue, up to `places`. `fair`: they are ranked anew, so that
   * one who waits in a long line does not come before those of other lines. `more`: others wait there still.
   */
  call_line: {
    write: { line: string; places: number; fair: boolean };
    answer: { called: readonly string[]; more: boolean };
  };
  /**
   * The same for every line, since nobody may be left who would call it: so many lines at a time, by name. `next`: the
   * one after which it goes on, null after the last.
   */
  call_lines: {
    write: { places: number; after: string | null; limit: number };
    answer: { called: readonly { task_id: string; line: string }[]; next: string | null };
  };
  cancel_task: {
    write: { task_id: string; reason: string | null };
    answer: { status: TaskStatus; cancelled: boolean; abandoned?: readonly Abandoned[] };
  };
  cancel_run: {
    write: { workflow_id: string; reason: string | null };
    answer: { status: RunStatus; cancelled: number; abandoned?: readonly Abandoned[] };
  };
  pause_run: { write: { workflow_id: string }; answer: { status: RunStatus } };
  resume_run: { write: { workflow_id: string }; answer: { status: RunStatus } };
  retry_task: { write: { task_id: string }; answer: { status: TaskStatus } };
  /**
   * Moves what is due: retries to the queue, tasks out of time to failed, and what waits for a provider back in line,
   * but for the calls that the engine knows to be `unserved` (see parked.ts).
   */
  wake_due: {
    write: { limit: number; unserved?: readonly string[] };
    answer: { moved: number; more: boolean; next_in_ms: number | null; abandoned?: readonly Abandoned[] };
  };
  /** `ttl_ms` null in the answer: this store knows by itself when an engine is gone. */
  join: {
    write: { owner: string; ttl_ms: number };
    answer: { ttl_ms: number | null; paused: PausedQueues };
  };
  beat: { write: { owner: string; ttl_ms: number }; answer: { alive: boolean } };
  leave: { write: { owner: string }; answer: Record<never, never> };
  /** Takes tasks from engines whose lease ran out. */
  rescue: { write: { limit: number }; answer: { rescued: number; more: boolean } };
  /**
   * Gives back what the store thinks an engine holds but the engine does not know of: the answer to the commit that
   * claimed it was lost.
   */
  reconcile: {
    /** With their fences: a task may have been given back and claimed again by the very commit whose answer was lost. */
    write: { owner: string; held: readonly { task_id: string; fence: number }[] };
    /** `gone`: which of those the engine holds no longer, because the commit whose answer was lost took them away. */
    answer: { released: number; gone: readonly { task_id: string; fence: number }[] };
  };
  /** Removes whole runs that settled longer than `keep_ms` ago. */
  prune: { write: { keep_ms: number; limit: number }; answer: { removed: number; more: boolean } };
  /** `expect`: the version it must have now, 0 for "must not exist", null for any. */
  put_document: {
    write: { collection: string; key: string; text: string; expect: number | null };
    answer: { version: number };
  };
  delete_document: {
    write: { collection: string; key: string; expect: number | null };
    answer: { deleted: boolean };
  };
  /** `expect` as with documents. */
  put_agent: {
    write: { agent: NewAgent; expect: number | null };
    answer: { id: string; version: number; created_at: number; updated_at: number };
  };
  delete_agent: { write: { name: string; expect: number | null }; answer: { deleted: boolean } };
  /** By protocol; null for everything. */
  pause_queue: { write: { protocol: string | null }; answer: { paused: PausedQueues } };
  resume_queue: { write: { protocol: string | null }; answer: { paused: PausedQueues } };
  /** Puts something that belongs to no run on the feed. */
  announce: { write: { happening: Happening }; answer: Record<never, never> };
};

export type WriteKind = keyof WriteMap;
export type WriteOf<K extends WriteKind> = {
  [N in K]: { readonly kind: N } & Readonly<WriteMap[N]['write']>;
}[K];
export type Write = WriteOf<WriteKind>;
export type AnswerTo<K extends WriteKind> = Readonly<WriteMap[K]['answer']>;

export type AcceptedRun = {
  readonly workflow_id: string | null;
  /**
   * Short id and `task_id` of each; for a task alone its own id twice. A list, because a record by ids that are different
   * each time leaves a shape of its own behind in the runtime: 2 µs instead of 0.1.
   */
  readonly tasks: readonly (readonly [id: string, task_id: string])[];
  readonly status: TaskStatus | RunStatus;
  /** False when the same submission had been accepted before. */
  readonly created: boolean;
};

/** Each write of a commit gets its own: one that is refused does not harm its neighbours. */
export type Verdict =
  | { readonly ok: true; readonly answer: AnswerTo<WriteKind> }
  | { readonly ok: false; readonly error: ErrorRecord };
