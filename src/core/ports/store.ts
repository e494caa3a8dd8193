import type { AgentRow } from '../agent.ts';
import type { DocumentRow, Revoked, SettledRun, SettledTask } from '../changes.ts';
import type { Event, EventName } from '../events.ts';
import type { Priority } from '../priority.ts';
import type { PausedQueues } from '../queue-pause.ts';
import type { ResultRow, RunRow, TaskBody, TaskRow } from '../records.ts';
import type { RunStatus } from '../run.ts';
import type { TaskStatus } from '../task.ts';
import type { Verdict, Write } from '../writes.ts';

/** Asks, within a commit, for work that its writes may just have made ready. */
export type ClaimRequest = {
  readonly owner: string;
  readonly limit: number;
  /** Only tasks of these lanes. */
  readonly lanes: readonly string[];
  /** And of some of them no more than so many: what stands behind those is passed by. */
  readonly most?: ReadonlyMap<string, number>;
};

/** A settled dependency as a claimed task sees it. `result` is null where it has none. */
export type TaskInput = { readonly status: TaskStatus; readonly result: string | null };

/** What the call of a task is made of, as JSON text. */
export type TaskPayloads = {
  readonly params: string;
  /** Short id → what the params refer to. */
  readonly inputs: Readonly<Record<string, TaskInput>>;
  /** The run's input where the task uses it. */
  readonly run_input: string | null;
};

export type ClaimedTask = {
  readonly task: TaskRow;
  readonly body: Omit<TaskBody, 'params'>;
  /** Null when the claim carries enough without them: then `reads.payloads` has them. */
  readonly payloads: TaskPayloads | null;
};

/**
 * A claim carries payloads up to this many characters in all, the input of a run once: whatever the size of tasks, it
 * is clear how much memory an answer takes.
 */
export const CLAIM_BUDGET = 16 * 1024 * 1024;

export type CommitRequest = { readonly writes: readonly Write[]; readonly claim: ClaimRequest | null };

export type CommitAnswer = {
  /** The store's clock as this commit read it. */
  readonly now: number;
  /** One for each write, in order. */
  readonly verdicts: readonly Verdict[];
  /** Best rank first. */
  readonly claimed: readonly ClaimedTask[];
  /** The claim came from an engine the store does not know (any more). */
  readonly lease_lost: boolean;
  readonly settled: readonly SettledTask[];
  readonly settledRuns: readonly SettledRun[];
  readonly revoked: readonly Revoked[];
};

/** Something changed through another engine: there may be work, a result, a call to end, another document or agent. */
export type ChangeHint = {
  readonly ready: boolean;
  readonly settled: boolean;
  readonly revoked: boolean;
  readonly documents: boolean;
  readonly agents: boolean;
};

/**
 * Where everything lives. One writer path (invariant 5): all changes of a moment come as one `commit`, which answers
 * when they are durable. Rejects with GLZ30xx when nothing of it was written, or when that cannot be known: it may
 * even be written a moment later. A commit may be asked for before the last one is answered; they are carried out and
 * answered in the order in which they were asked for.
 */
export interface Store {
  commit(request: CommitRequest): Promise<CommitAnswer>;
  readonly reads: StoreReads;
  /** Calls for changes made through other handles on the same data; returns the way to stop it. */
  onChange(listener: (hint: ChangeHint) => void): () => void;
  close(): Promise<void>;
}

export type Page<Item> = { readonly items: readonly Item[]; readonly next_cursor: string | null };

export type TaskQuery = {
  readonly status?: readonly TaskStatus[];
  readonly priority?: readonly Priority[];
  readonly workflow_id?: string;
  /** created_at ≥ / < */
  readonly created_from?: number;
  readonly created_to?: number;
  readonly order?: 'oldest' | 'newest';
  readonly limit: number;
  readonly cursor?: string;
};

export type RunQuery = {
  readonly status?: readonly RunStatus[];
  readonly name?: string;
  readonly created_from?: number;
  readonly created_to?: number;
  readonly order?: 'oldest' | 'newest';
  readonly limit: number;
  readonly cursor?: string;
};

export type DocumentQuery = { readonly limit: number; readonly cursor?: string; readonly prefix?: string };

export type AgentQuery = { readonly limit: number; readonly cursor?: string; readonly protocol?: string };

export type EventQuery = {
  /** Global number of the last event already seen; 0 from the beginning. */
  readonly after: number;
  readonly limit: number;
  readonly workflow_id?: string;
  readonly task_id?: string;
  readonly events?: readonly EventName[];
};

export type EventPage = {
  readonly events: readonly Event[];
  /** Where the next page starts, filter or not. */
  readonly cursor: number;
  /** There may be more right now. */
  readonly more: boolean;
};

export type QueueStats = {
  /** Tasks by status; statuses without tasks are left out. */
  readonly tasks: Readonly<Partial<Record<TaskStatus, number>>>;
  readonly runs: Readonly<Partial<Record<RunStatus, number>>>;
  /** The queued ones among the tasks, whether or not an engine holds them already; by protocol, most urgent first. */
  readonly queued: readonly QueuedCount[];
  readonly paused: PausedQueues;
};

export type QueuedCount = {
  readonly protocol: string;
  readonly priority: Priority;
  readonly count: number;
  /**
   * When the oldest was created among those of this kind that are next in line; null where none of the first
   * `LINE_LOOKED_AT` of its protocol that may be claimed is of this priority.
   */
  readonly oldest_created_at: number | null;
};

/** How far down the line of each protocol `stats` looks: it costs the same whatever the backlog. */
export const LINE_LOOKED_AT = 200;

/** Reads see everything committed before they were asked, and never wait for the writer. */
export interface StoreReads {
  task(task_id: string): Promise<{ task: TaskRow; body: TaskBody } | null>;
  run(workflow_id: string): Promise<{ run: RunRow; input: string } | null>;
  result(task_id: string): Promise<ResultRow | null>;
  /** Results of a run by short id. */
  runResults(workflow_id: string): Promise<Readonly<Record<string, ResultRow>>>;
  /** What the call of a task is made of, for claims that did not carry it. */
  payloads(task_id: string): Promise<TaskPayloads | null>;
  tasks(query: TaskQuery): Promise<Page<TaskRow>>;
  runs(query: RunQuery): Promise<Page<RunRow>>;
  events(query: EventQuery): Promise<EventPage>;
  /** The number of the newest event. */
  cursor(): Promise<number>;
  document(collection: string, key: string): Promise<DocumentRow | null>;
  /** By key. `prefix`: only keys that begin with it. */
  documents(collection: string, page: DocumentQuery): Promise<Page<DocumentRow>>;
  agent(name: string): Promise<AgentRow | null>;
  /** By name. `protocol`: only those that speak this dialect. */
  agents(page: AgentQuery): Promise<Page<AgentRow>>;
  stats(): Promise<QueueStats>;
  /** Names of the engines that have joined and were not given up, in order; a name that is gone never comes back. */
  engines(): Promise<readonly string[]>;
}
