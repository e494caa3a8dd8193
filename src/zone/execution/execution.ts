import { GleitzeitError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { StoreReads } from '../../core/ports/store.ts';
import type { AcceptedRun } from '../../core/writes.ts';
import { maskedView } from '../../engine/views.ts';
import { type ZoneErrorData, zoneError } from '../contract/errors.ts';
import type { Accepted, GetAsyncTaskResultParams, Pending } from '../contract/methods.ts';
import { refusalFor } from './engine-errors.ts';
import { type Ended, outcomeOf } from './outcome.ts';
import type { PlanRequest } from './plan.ts';
import { replyOf } from './reply.ts';
import { type SubmissionParts, submitRequest } from './submission.ts';
import { findWork, isOfZone, settledWithin, type Work, type WorkParts } from './work.ts';

export type ExecutionParts = SubmissionParts & {
  readonly engine: WorkParts['engine'];
  readonly reads: WorkParts['reads'] & Pick<StoreReads, 'result'>;
  /** Measures how old results are by the store's times: its wall time must not jump. */
  readonly clock: Clock;
};

export type Told<Open> = Ended | { readonly result: Open };

/** The two methods of the contract over the engine. Throws errors of ours only for what is no fault of the request. */
export class Execution {
  readonly #parts: ExecutionParts;

  constructor(parts: ExecutionParts) {
    this.#parts = parts;
  }

  /** Durable before anything else happens: from then on the task is run, whatever becomes of caller and process. */
  async execute(request: PlanRequest, signal: AbortSignal): Promise<Told<Accepted> & Known> {
    const { settings } = this.#parts;
    const { params } = request;
    const about = aboutOf(params);
    let accepted: AcceptedRun;
    try {
      accepted = await submitRequest(this.#parts, request);
    } catch (thrown) {
      const error = GleitzeitError.from(thrown);
      return { error: refusalFor(error.toRecord(), about), task_id: null, cause: error };
    }
    const task_id = accepted.workflow_id ?? accepted.tasks[0]?.[1] ?? '';
    const wait_ms = params.budget_ms ?? settings.budget_ms;
    const until = this.#parts.clock.monotonic() + wait_ms;
    const said = await this.#heard(accepted, task_id, { ms: wait_ms, signal });
    if (said !== null) return { result: replyOf(maskedView(said)), task_id };
    const work = await this.#wait(task_id, until, signal);
    const told = { ...about, task_id };
    if (work === null || work.status === 'open') return { result: { status: 'accepted', task_id }, task_id };
    return { ...(await outcomeOf(this.#parts, work, told)), task_id };
  }

  async result(params: GetAsyncTaskResultParams, signal: AbortSignal): Promise<Told<Pending> & Known> {
    const { settings, clock } = this.#parts;
    const { task_id, budget_ms = 0 } = params;
    const about = { ...aboutOf(params), task_id };
    const unknown = { error: zoneError('unknown_task', about), task_id };
    if (!isOfZone(task_id)) return unknown;
    const work = await this.#wait(task_id, clock.monotonic() + budget_ms, signal);
    if (work === null) return unknown;
    const { settled_at } = work;
    if (work.status === 'open' || settled_at === null)
      return { result: { status: 'pending', task_id }, task_id };
    if (clock.wall() - settled_at > settings.retention_ms) return unknown;
    return { ...(await outcomeOf(this.#parts, work, about)), task_id };
  }

  /**
   * The result of a single task, as the engine tells of it: most are done in time, and need not be looked for in the
   * store. Null for whatever else became of it; a run of several is waited for.
   */
  async #heard(
    { tasks }: AcceptedRun,
    task_id: string,
    patience: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<string | null> {
    const { engine } = this.#parts;
    const [only, ...others] = tasks;
    if (only !== undefined && others.length === 0 && this.#isReply(only[0]))
      return (await engine.result(only[1], patience.ms, patience.signal))?.result ?? null;
    await settledWithin(this.#parts, task_id, patience);
    return null;
  }

  #isReply(step: string): boolean {
    const { execute } = this.#parts.settings;
    return !('workflow' in execute) || execute.reply === undefined || execute.reply === step;
  }

  /** The work when it has settled, or as it is when the caller's patience ends. Its own time is the engine's to end. */
  async #wait(task_id: string, until: number, signal: AbortSignal): Promise<Work | null> {
    const { clock } = this.#parts;
    for (;;) {
      const work = await findWork(this.#parts, task_id);
      if (work === null || work.status !== 'open') return work;
      const patience_ms = until - clock.monotonic();
      if (patience_ms <= 0 || signal.aborted) return work;
      await settledWithin(this.#parts, task_id, { ms: patience_ms, signal });
    }
  }
}

/** For the log: which task it was about, and what went wrong inside. */
export type Known = { readonly task_id: string | null; readonly cause?: GleitzeitError };

function aboutOf(params: { readonly correlation_id?: string }): ZoneErrorData {
  const { correlation_id } = params;
  return correlation_id === undefined ? {} : { correlation_id };
}
