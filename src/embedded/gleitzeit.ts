import { type ErrorRecord, GleitzeitError } from '../core/errors.ts';
import type { Event } from '../core/events.ts';
import { isObject, type Json } from '../core/json.ts';
import { noRun, noTask } from '../core/not-there.ts';
import type { Page, QueueStats, Store, StoreReads } from '../core/ports/store.ts';
import type { RunStatus } from '../core/run.ts';
import { isSettled, type TaskStatus } from '../core/task.ts';
import type { AcceptedRun, AnswerTo } from '../core/writes.ts';
import { readOptions, requireNumber, requireText } from '../engine/check-options.ts';
import type { Engine } from '../engine/engine.ts';
import type { FeedQuery } from '../engine/feed.ts';
import type { RetryOptions } from '../engine/retry-run.ts';
import { requireTasks, type SubmitOptions, type WorkflowOptions } from '../engine/submit.ts';
import { maskedView, type RunView, type Served, type TaskView, viewRun, viewTask } from '../engine/views.ts';
import type { ProtocolInput } from '../registry/typed.ts';
import type { ProviderStatus } from '../router/status.ts';
import { controlOf, type ProviderControl } from './provider-control.ts';
import { type RunListQuery, readWait, runQuery, type TaskListQuery, taskQuery } from './queries.ts';
import type {
  NoOtherKeys,
  NoOtherParams,
  ResultOfCall,
  TaskId,
  TaskInput,
  WorkflowInput,
} from './task-input.ts';

export type SubmittedTask<Result = Json> = { readonly task_id: TaskId<Result>; readonly status: TaskStatus };

export type SubmittedWorkflow = {
  readonly workflow_id: string;
  readonly status: RunStatus;
  /** Short id → `task_id`. */
  readonly tasks: Readonly<Record<string, string>>;
};

/** `result` where the task completed, `error` where it did not succeed, neither while it is open. */
export type TaskResult<Result = Json> = {
  readonly task_id: string;
  readonly status: TaskStatus;
  readonly result?: Result;
  readonly error?: ErrorRecord;
};

export type WorkflowResults = {
  readonly workflow_id: string;
  readonly status: RunStatus;
  readonly results: Readonly<Record<string, Json>>;
};

/** `wait`: milliseconds to wait for it to settle. */
export type WaitOptions = { readonly wait?: number };

/** `attempt`: the one that asked; whichever asks now where it is left out. */
export type RespondOptions = { readonly attempt?: number };

export type GleitzeitParts = {
  readonly engine: Engine;
  readonly store: Store;
  readonly router: Served;
  /** Left out where providers are not in pools. */
  readonly providers?: ProviderControl | undefined;
  readonly close: () => Promise<void>;
};

/** The engine as programs use it. */
export class Gleitzeit<P extends ProtocolInput = ProtocolInput> {
  readonly #parts: GleitzeitParts;
  #life: 'open' | 'stopping' | 'stopped' = 'open';

  constructor(parts: GleitzeitParts) {
    this.#parts = parts;
  }

  /**
   * Accepts a task, or a workflow. Resolves when it is safe: from then on it survives whatever happens. The editor says
   * more of a mistake in a workflow where it is given to `submitWorkflow`.
   */
  submit(workflow: WorkflowInput<P>, options?: WorkflowOptions): Promise<SubmittedWorkflow>;
  // The last one is what the compiler tells of when none fits, and most of what is submitted here are tasks.
  submit<const T extends TaskInput<P>>(
    task: T & NoOtherKeys<T> & NoOtherParams<P, T>,
    options?: SubmitOptions,
  ): Promise<SubmittedTask<ResultOfCall<P, T>>>;
  async submit(work: object, options: WorkflowOptions = {}): Promise<SubmittedTask | SubmittedWorkflow> {
    if (!isObject(work) || !Object.hasOwn(work, 'tasks'))
      return submittedTask(await this.#engine.submit(work, options));
    return submittedWorkflow(await this.#engine.submitWorkflow(work, options));
  }

  async submitWorkflow(
    workflow: WorkflowInput<P>,
    options: WorkflowOptions = {},
  ): Promise<SubmittedWorkflow> {
    return submittedWorkflow(await this.#engine.submitWorkflow(workflow, options));
  }

  /** All of them are accepted, or none. */
  async submitMany(
    tasks: readonly (TaskInput<P> | { readonly task: TaskInput<P>; readonly idempotency_key?: string })[],
  ): Promise<readonly SubmittedTask[]> {
    return (await this.#engine.submitMany(requireTasks(tasks).map(asEntry))).map(submittedTask);
  }

  /** How a task ended, or how far it is. */
  async result<Result = Json>(
    task_id: TaskId<Result>,
    options: WaitOptions = {},
  ): Promise<TaskResult<Result>> {
    const outcome = await this.#engine.result(requireText('task_id', task_id), readWait(options));
    if (outcome === null) throw noTask(task_id);
    const { status, result, error } = outcome;
    if (status === 'completed') return { task_id, status, result: maskedView(result ?? 'null') as Result };
    // How the last attempt of an open task ended is not how the task did.
    return { task_id, status, ...(error === null || !isSettled(status) ? {} : { error }) };
  }

  /** The results of a run's tasks by their short ids, as many as there are. */
  async results(workflow_id: string, options: WaitOptions = {}): Promise<WorkflowResults> {
    const run = await this.#engine.runResult(requireText('workflow_id', workflow_id), readWait(options));
    if (run === null) throw noRun(workflow_id);
    const rows = await this.#reads.runResults(workflow_id);
    const results = Object.entries(rows).map(([id, row]) => [id, maskedView(row.result)] as const);
    return { workflow_id, status: run.status, results: Object.fromEntries(results) };
  }

  async task(task_id: string): Promise<TaskView> {
    const found = await this.#reads.task(requireText('task_id', task_id));
    if (found === null) throw noTask(task_id);
    return viewTask(found, this.#parts.router, this.#engine.seen);
  }

  async workflow(workflow_id: string): Promise<RunView> {
    const found = await this.#reads.run(requireText('workflow_id', workflow_id));
    if (found === null) throw noRun(workflow_id);
    return viewRun(found.run);
  }

  /** Ids of tasks, page by page. */
  async tasks(query: TaskListQuery = {}): Promise<Page<{ task_id: string; id: string; status: TaskStatus }>> {
    const { items, next_cursor } = await this.#reads.tasks(taskQuery(query));
    return { items: items.map(({ task_id, id, status }) => ({ task_id, id, status })), next_cursor };
  }

  async workflows(query: RunListQuery = {}): Promise<Page<RunView>> {
    const { items, next_cursor } = await this.#reads.runs(runQuery(query));
    return { items: items.map(viewRun), next_cursor };
  }

  async cancel(task_id: string, reason?: string): Promise<AnswerTo<'cancel_task'>> {
    return this.#engine.cancelTask(requireText('task_id', task_id), readReason(reason));
  }

  /** Answers what a task asks: `task` shows that under `waiting_for`. The same answer again is no error. */
  async respond(
    task_id: string,
    response: Json,
    options: RespondOptions = {},
  ): Promise<{ status: TaskStatus }> {
    const { attempt } = readOptions(options, ['attempt']);
    if (attempt !== undefined) requireNumber('attempt', attempt, { least: 1, integer: true });
    const asked = options.attempt === undefined ? {} : { attempt: options.attempt };
    return this.#engine.responses.respond(requireText('task_id', task_id), { response, ...asked });
  }

  async cancelWorkflow(workflow_id: string, reason?: string): Promise<AnswerTo<'cancel_run'>> {
    return this.#engine.cancelRun(requireText('workflow_id', workflow_id), readReason(reason));
  }

  async pauseWorkflow(workflow_id: string): Promise<AnswerTo<'pause_run'>> {
    return this.#engine.pauseRun(requireText('workflow_id', workflow_id));
  }

  async resumeWorkflow(workflow_id: string): Promise<AnswerTo<'resume_run'>> {
    return this.#engine.resumeRun(requireText('workflow_id', workflow_id));
  }

  /** Runs a task that failed or was cancelled once more, in its run. */
  async retry(task_id: string): Promise<AnswerTo<'retry_task'>> {
    return this.#engine.retryTask(requireText('task_id', task_id));
  }

  /**
   * Runs a workflow anew from its first failed task on, or from the one named, with what was finished before it; `input`
   * replaces the input of the run.
   */
  async retryWorkflow(
    workflow_id: string,
    options: RetryOptions = {},
  ): Promise<SubmittedWorkflow & { readonly retry_of: string }> {
    const accepted = await this.#engine.retryRun(requireText('workflow_id', workflow_id), options);
    return { ...submittedWorkflow(accepted), retry_of: workflow_id };
  }

  /** Starts no more tasks of a protocol, or none at all, on every engine and over restarts. */
  async pauseQueue(protocol?: string): Promise<void> {
    await this.#engine.pauseQueue(protocol ?? null);
  }

  async resumeQueue(protocol?: string): Promise<void> {
    await this.#engine.resumeQueue(protocol ?? null);
  }

  /** How a provider does, and what keeps calls from it. */
  async providerStatus(id: string): Promise<ProviderStatus> {
    return controlOf(this.#providers, id).status;
  }

  /** It gets no more calls, on every engine of the store and over restarts, until it is resumed; those it has go on. */
  async drainProvider(id: string): Promise<void> {
    await controlOf(this.#providers, id).control.drain(id);
  }

  /** Also one that is left in peace after failures, or has asked to be left alone, is called again. */
  async resumeProvider(id: string): Promise<void> {
    await controlOf(this.#providers, id).control.resume(id);
  }

  /** What happens from now on, or from a cursor on; nothing is missed over a restart. */
  events(query: FeedQuery = {}): AsyncGenerator<Event, void, undefined> {
    return this.#engine.events(query);
  }

  async stats(): Promise<QueueStats> {
    return this.#reads.stats();
  }

  /** Takes up work again after `quiet`; a new Gleitzeit has started already. */
  async start(): Promise<void> {
    if (this.#life !== 'open') throw stopped();
    return this.#engine.start();
  }

  /** Takes no more tasks; what runs goes on, and what is submitted is accepted and waits. */
  async quiet(): Promise<void> {
    return this.#engine.quiet();
  }

  /** Waits for running calls until the deadline, then closes everything. What did not finish is taken up again later. */
  async stop(options: { deadline_ms?: number } = {}): Promise<void> {
    const { deadline_ms = 10_000 } = readOptions(options, ['deadline_ms']);
    const patience = requireNumber('deadline_ms', deadline_ms, { least: 0 });
    if (this.#life === 'open') this.#life = 'stopping';
    await this.#parts.engine.stop(patience);
    this.#life = 'stopped';
    await this.#parts.close();
  }

  /** Calls that still run may use it while it stops. */
  get #engine(): Engine {
    if (this.#life === 'stopped') throw stopped();
    return this.#parts.engine;
  }

  get #providers(): ProviderControl | undefined {
    if (this.#life === 'stopped') throw stopped();
    return this.#parts.providers;
  }

  get #reads(): StoreReads {
    if (this.#life === 'stopped') throw stopped();
    return this.#parts.store.reads;
  }
}

function readReason(reason: string | undefined): string | null {
  return reason === undefined ? null : requireText('reason', reason);
}

/** What it is instead of a task is the engine's to say, with its place. */
function asEntry(entry: unknown): { readonly task: unknown } {
  return isObject(entry) && Object.hasOwn(entry, 'task')
    ? { ...entry, task: entry['task'] }
    : { task: entry };
}

function stopped(): GleitzeitError {
  return new GleitzeitError('GLZ9002', 'this Gleitzeit has been stopped', {
    hint: 'make a new one with createGleitzeit',
  });
}

function submittedTask(run: AcceptedRun): SubmittedTask {
  const [[, task_id] = ['', '']] = run.tasks;
  return { task_id, status: run.status as TaskStatus };
}

function submittedWorkflow({ workflow_id, status, tasks }: AcceptedRun): SubmittedWorkflow {
  return { workflow_id: workflow_id ?? '', status: status as RunStatus, tasks: Object.fromEntries(tasks) };
}
