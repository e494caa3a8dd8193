import { GleitzeitError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { StoreReads } from '../../core/ports/store.ts';
import type { RunRow } from '../../core/records.ts';
import { isRunSettled } from '../../core/run.ts';
import type { AcceptedRun } from '../../core/writes.ts';
import type { Engine } from '../../engine/engine.ts';
import { maskedView } from '../../engine/views.ts';
import type { Definitions } from '../../registry/definitions.ts';
import { type ZoneErrorData, zoneError } from '../contract/errors.ts';
import type { Accepted, GetAsyncTaskResultParams, Pending } from '../contract/methods.ts';
import { refusalFor } from './engine-errors.ts';
import { type Ended, LATE, outcomeOf } from './outcome.ts';
import { isZoneRun, type PlanRequest, planRun } from './plan.ts';
import { replyOf } from './reply.ts';
import type { ExecutionSettings } from './settings.ts';

export type ExecutionParts = {
  readonly engine: Pick<Engine, 'submitWorkflow' | 'result' | 'runResult' | 'cancelRun'>;
  readonly reads: Pick<StoreReads, 'run' | 'tasks' | 'result'>;
  readonly definitions: Pick<Definitions, 'find'>;
  readonly settings: ExecutionSettings;
  /** Measures how old runs are by the store's times: its wall time must not jump. */
  readonly clock: Clock;
  readonly hash: (text: string) => string;
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
    const { settings, engine } = this.#parts;
    const { params } = request;
    const about = aboutOf(params);
    let accepted: AcceptedRun;
    try {
      const { workflow, ...options } = await this.#plan(request);
      accepted = await engine.submitWorkflow(workflow, options);
    } catch (thrown) {
      const error = GleitzeitError.from(thrown);
      return { error: refusalFor(error.toRecord(), about), task_id: null, cause: error };
    }
    const task_id = accepted.workflow_id ?? '';
    const wait_ms = params.budget_ms ?? settings.budget_ms;
    const until = this.#parts.clock.monotonic() + wait_ms;
    const said = await this.#heard(accepted, Math.min(wait_ms, settings.timeout_ms), signal);
    if (said !== null) return { result: replyOf(maskedView(said)), task_id };
    const run = await this.#wait(task_id, until, signal);
    const told = { ...about, task_id };
    if (run === null || !isRunSettled(run.status))
      return { result: { status: 'accepted', task_id }, task_id };
    return { ...(await outcomeOf(this.#parts, run, told)), task_id };
  }

  async result(params: GetAsyncTaskResultParams, signal: AbortSignal): Promise<Told<Pending> & Known> {
    const { settings, clock } = this.#parts;
    const { task_id, budget_ms = 0 } = params;
    const about = { ...aboutOf(params), task_id };
    const unknown = { error: zoneError('unknown_task', about), task_id };
    if (!isZoneRun(task_id)) return unknown;
    const run = await this.#wait(task_id, clock.monotonic() + budget_ms, signal);
    if (run === null) return unknown;
    const { settled_at } = run;
    if (!isRunSettled(run.status) || settled_at === null)
      return { result: { status: 'pending', task_id }, task_id };
    if (clock.wall() - settled_at > settings.retention_ms) return unknown;
    return { ...(await outcomeOf(this.#parts, run, about)), task_id };
  }

  /**
   * The result of a run of one task, as the engine tells of it: most are done in time, and need not be looked for in the
   * store. Null for whatever else became of it; a run of several is waited for.
   */
  async #heard({ workflow_id, tasks }: AcceptedRun, ms: number, signal: AbortSignal): Promise<string | null> {
    const { engine } = this.#parts;
    const [only, ...others] = tasks;
    if (only !== undefined && others.length === 0)
      return (await engine.result(only[1], ms, signal))?.result ?? null;
    await engine.runResult(workflow_id ?? '', ms, signal);
    return null;
  }

  async #plan(request: PlanRequest) {
    const { settings, definitions, hash } = this.#parts;
    const { execute } = settings;
    const defined = 'workflow' in execute ? await definitions.find(execute.workflow, execute.version) : null;
    return planRun(request, settings, { defined, hash });
  }

  /** The run when it has settled, or as it is when the caller's patience ends. Its own time may end before that. */
  async #wait(task_id: string, until: number, signal: AbortSignal): Promise<RunRow | null> {
    const { engine, clock } = this.#parts;
    for (;;) {
      const run = await this.#look(task_id);
      if (run === null || isRunSettled(run.status)) return run;
      const own_ms = this.#left(run);
      if (own_ms <= 0) {
        await engine.cancelRun(task_id, LATE).catch(settledMeanwhile);
        return this.#look(task_id);
      }
      const patience_ms = until - clock.monotonic();
      if (patience_ms <= 0 || signal.aborted) return run;
      await engine.runResult(task_id, Math.min(patience_ms, own_ms), signal);
    }
  }

  async #look(task_id: string): Promise<RunRow | null> {
    return (await this.#parts.reads.run(task_id))?.run ?? null;
  }

  #left({ created_at }: RunRow): number {
    const { clock, settings } = this.#parts;
    return created_at + settings.timeout_ms - clock.wall();
  }
}

/** For the log: which task it was about, and what went wrong inside. */
export type Known = { readonly task_id: string | null; readonly cause?: GleitzeitError };

function aboutOf(params: { readonly correlation_id?: string }): ZoneErrorData {
  const { correlation_id } = params;
  return correlation_id === undefined ? {} : { correlation_id };
}

function settledMeanwhile(thrown: unknown): void {
  if (GleitzeitError.from(thrown).code !== 'GLZ1011') throw thrown;
}
