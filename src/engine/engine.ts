import type { GleitzeitError } from '../core/errors.ts';
import type { Event, Happening } from '../core/events.ts';
import type { Json } from '../core/json.ts';
import type { ChangeHint, ClaimRequest, CommitAnswer } from '../core/ports/store.ts';
import type { PausedQueues } from '../core/queue-pause.ts';
import type { AcceptedRun, AnswerTo, WriteOf } from '../core/writes.ts';
import { assemble, type Works } from './assemble.ts';
import { requireProtocol } from './check-options.ts';
import type { FeedQuery } from './feed.ts';
import { findUnfinished } from './find-run.ts';
import { listen } from './listen.ts';
import type { Outcome, RunOutcome } from './outcomes.ts';
import type { EngineParts } from './parts.ts';
import type { Responses } from './respond.ts';
import { type RetryOptions, retryRun } from './retry-run.ts';
import {
  type InsideRun,
  type InsideTask,
  type SubmitOptions,
  submitMany,
  submitTask,
  submitWorkflow,
  type WorkflowOptions,
} from './submit.ts';
import type { Seen } from './views.ts';
import { closeDown, windDown } from './wind-down.ts';

export { defaultOptions, type EngineOptions } from './options.ts';
export type { EngineParts } from './parts.ts';

/** What moves tasks: takes them in, runs them, records how they end. */
export class Engine {
  /** What comes from outside for tasks that wait for it. */
  readonly responses: Responses;
  readonly #parts: EngineParts;
  readonly #works: Works;
  #owner: string;
  #joining = false;
  #joined = false;
  #open = false;
  #unlisten: () => void = () => {};
  #trouble: GleitzeitError | null = null;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#works = assemble(parts, {
      owner: () => this.#owner,
      committed: (answer, claim) => this.#committed(answer, claim),
      failed: (error) => this.#failed(error),
      unsettled: () => this.#reconcile(),
      reconciled: () => {
        this.#checkWaits();
        void this.#works.pause.look();
        this.#works.dispatcher.wake();
      },
      lost: () => void this.#rejoin(),
      changed: (hint) => this.#changed(hint),
    });
    this.#owner = this.#works.newId();
    this.responses = this.#works.responses;
  }

  /**
   * Joins the store and takes up work, what an earlier engine left behind first. One that does not work takes in and
   * answers like any other, but leaves every task to engines that do.
   */
  async start({ works = true }: { works?: boolean } = {}): Promise<void> {
    if (this.#open) return;
    this.#unlisten();
    this.#unlisten = listen(this.#parts, this.#works, (hint) => this.#changed(hint));
    if (!works) return this.#works.pause.look();
    this.#open = true;
    const { ttl_ms } = await this.#join();
    if (!this.#open) return;
    this.#works.maintenance.start(ttl_ms !== null);
    this.#works.arrivals.start();
  }

  /** Why the store took no commit the last time; null where it did. */
  get trouble(): GleitzeitError | null {
    return this.#trouble;
  }

  /** Takes no more tasks; what runs goes on, what was only claimed goes back, and answers of what is away go elsewhere. */
  async quiet(): Promise<void> {
    this.#open = false;
    const { maintenance, dispatcher, arrivals } = this.#works;
    maintenance.quiet();
    await Promise.all([dispatcher.quiet(), arrivals.quiet()]);
  }

  /** Resolves when no call runs any more; after `quiet` none begins. */
  idle(): Promise<void> {
    return this.#works.dispatcher.drained();
  }

  /**
   * Waits for running calls until the deadline, then ends them and gives their tasks back. Losing that race is safe:
   * what is not recorded stays held by this engine's name, and whoever comes next takes it over and runs it again.
   */
  async stop(deadline_ms = 10_000): Promise<void> {
    const over = this.#windDown().catch(noop);
    await windDown(this.#parts.timers, deadline_ms, { over, giveBack: () => this.#giveBack() });
    closeDown(this.#works, this.#unlisten);
  }

  submit(task: unknown, options: SubmitOptions = {}, inside: InsideTask = {}): Promise<AcceptedRun> {
    return submitTask(this.#works.submit, task, { options, inside });
  }

  submitMany(tasks: Parameters<typeof submitMany>[1]): Promise<readonly AcceptedRun[]> {
    return submitMany(this.#works.submit, tasks);
  }

  submitWorkflow(
    workflow: unknown,
    options: WorkflowOptions = {},
    inside: InsideRun = {},
  ): Promise<AcceptedRun> {
    return submitWorkflow(this.#works.submit, workflow, { options, inside });
  }

  /** The newest run of this definition and input that has not ended; refused where there is none. */
  findUnfinished(workflow: unknown, input?: Json | undefined): Promise<AcceptedRun> {
    return findUnfinished(this.#works.submit, workflow, input);
  }

  /** How a task ended, or its status when it has not within `wait_ms`; null for a task that is not there. */
  result(task_id: string, wait_ms = 0, signal?: AbortSignal): Promise<Outcome | null> {
    return this.#works.outcomes.wait(task_id, wait_ms, signal);
  }

  runResult(workflow_id: string, wait_ms = 0, signal?: AbortSignal): Promise<RunOutcome | null> {
    return this.#works.runs.wait(workflow_id, wait_ms, signal);
  }

  cancelTask(task_id: string, reason: string | null = null): Promise<AnswerTo<'cancel_task'>> {
    const write = { kind: 'cancel_task', task_id, reason } as const;
    return this.#thenLook(this.#works.writer.write(write).then(this.#works.tellAbandoned));
  }

  cancelRun(workflow_id: string, reason: string | null = null): Promise<AnswerTo<'cancel_run'>> {
    const write = { kind: 'cancel_run', workflow_id, reason } as const;
    return this.#works.writer.write(write).then(this.#works.tellAbandoned);
  }

  /** Calls that run go on; nothing further of the run is started. */
  pauseRun(workflow_id: string): Promise<AnswerTo<'pause_run'>> {
    const { writer, dispatcher } = this.#works;
    // The store takes back what has not started, so it must know what has.
    writer.board();
    return dispatcher.startNothingOf(workflow_id, () => writer.write({ kind: 'pause_run', workflow_id }));
  }

  resumeRun(workflow_id: string): Promise<AnswerTo<'resume_run'>> {
    return this.#works.writer.write({ kind: 'resume_run', workflow_id });
  }

  retryTask(task_id: string): Promise<AnswerTo<'retry_task'>> {
    return this.#thenLook(this.#works.writer.write({ kind: 'retry_task', task_id }));
  }

  /** A new run that starts from what an ended one has finished: see retry-run.ts for what is reused. */
  retryRun(workflow_id: string, options: RetryOptions = {}): Promise<AcceptedRun> {
    return retryRun(this.#works.submit, workflow_id, options);
  }

  /** Which protocols are paused, and what time it is by the store, as far as this engine knows. */
  get seen(): Required<Seen> {
    return { paused: this.#works.pause.known, now: this.#works.storeClock.now() };
  }

  /** Calls that run go on; nothing further of the protocol is claimed by any engine, of none without one. */
  async pauseQueue(protocol: string | null = null): Promise<PausedQueues> {
    requireProtocol(protocol);
    const { paused } = await this.#works.writer.write({ kind: 'pause_queue', protocol });
    return this.#works.pause.learn(paused);
  }

  async resumeQueue(protocol: string | null = null): Promise<PausedQueues> {
    requireProtocol(protocol);
    const { paused } = await this.#works.writer.write({ kind: 'resume_queue', protocol });
    return this.#works.pause.learn(paused);
  }

  /** For what brings tasks into the queue without saying when their total timeouts run out. */
  async #thenLook<Answer>(written: Promise<Answer>): Promise<Answer> {
    const answer = await written;
    this.#works.maintenance.expectDue(0);
    return answer;
  }

  /** Puts something that belongs to no run on the feed. */
  async announce(happening: Happening): Promise<void> {
    await this.#works.writer.write({ kind: 'announce', happening });
  }

  /** For registries, which keep what they know in the store. */
  putDocument(document: Omit<WriteOf<'put_document'>, 'kind'>): Promise<AnswerTo<'put_document'>> {
    return this.#works.writer.write({ kind: 'put_document', ...document });
  }

  writeAgent<Kind extends 'put_agent' | 'delete_agent'>(write: WriteOf<Kind>): Promise<AnswerTo<Kind>> {
    return this.#works.writer.write(write);
  }

  deleteDocument(document: Omit<WriteOf<'delete_document'>, 'kind'>): Promise<AnswerTo<'delete_document'>> {
    return this.#works.writer.write({ kind: 'delete_document', ...document });
  }

  events(query: FeedQuery = {}): AsyncGenerator<Event, void, undefined> {
    return this.#works.feed.events(query);
  }

  #giveBack(): boolean {
    return this.#trouble === null && this.#works.dispatcher.withdrawAll();
  }

  async #windDown(): Promise<void> {
    await this.quiet().catch(noop);
    await Promise.all([this.#works.dispatcher.drained(), this.#parts.router.leaving?.().catch(noop)]);
    if (this.#joined) await this.#works.writer.write({ kind: 'leave', owner: this.#owner });
  }

  async #join(): Promise<AnswerTo<'join'>> {
    this.#joined = true;
    const joined = await this.#works.writer.write(
      { kind: 'join', owner: this.#owner, ttl_ms: this.#parts.options.lease_ttl_ms },
      { lasting: true },
    );
    this.#works.pause.learn(joined.paused);
    if (!this.#open) return joined;
    this.#parts.router.joined?.(this.#owner);
    this.#works.lines.callAll();
    this.#works.dispatcher.open(this.#owner);
    return joined;
  }

  /** Others have given this engine up and may run its tasks: it drops them and comes back under a new name. */
  async #rejoin(): Promise<void> {
    if (this.#joining || !this.#open) return;
    this.#joining = true;
    const { observer, dispatcher, newId } = this.#works;
    observer.leaseLost();
    this.#parts.logger.warn('the lease was lost; calls under way are dropped', {
      calls: dispatcher.held().length,
    });
    dispatcher.revokeAll();
    // What was ours may have settled without us, and nobody who made its call is left to tell.
    this.#checkWaits();
    this.#owner = newId();
    // It fails only when the engine has stopped, and then there is nothing to come back to.
    await this.#join().catch(noop);
    this.#joining = false;
  }

  #committed(answer: CommitAnswer, claim: ClaimRequest | null): void {
    const { dispatcher, arrivals, outcomes, runs, feed, leases, observer } = this.#works;
    this.#trouble = null;
    this.#parts.router.committed?.(answer.now);
    dispatcher.committed(claim);
    for (const task of answer.settled) {
      observer.settled(task);
      // What a call of ours settled is told by whoever made the call, or heard of its end: it has the result at hand.
      const { task_id } = task;
      if (!dispatcher.tells(task_id) && !arrivals.tells(task_id)) outcomes.settled(task_id);
    }
    for (const run of answer.settledRuns) runs.record(run.workflow_id, run);
    feed.nudge();
    leases.committed(answer);
    if (answer.lease_lost && claim?.owner === this.#owner) void this.#rejoin();
  }

  /** Nobody knows what became of the commit: claims that did not reach us are given back, waits are looked at again. */
  #failed(error: GleitzeitError): void {
    this.#trouble = error;
    this.#checkWaits();
    this.#reconcile();
  }

  #checkWaits(): void {
    for (const waits of [this.#works.outcomes, this.#works.runs]) waits.checkAll();
  }

  #reconcile(): void {
    if (this.#open) this.#works.reconciler.start();
  }

  /** Something changed through another engine. */
  #changed(hint: ChangeHint): void {
    const { feed, dispatcher, pause, leases } = this.#works;
    feed.nudge();
    if (hint.ready) dispatcher.wake();
    if (hint.settled) this.#checkWaits();
    if (hint.documents) void pause.look();
    if (hint.revoked) leases.revokedElsewhere();
  }
}

function noop(): void {}
