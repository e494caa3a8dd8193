import type { GleitzeitError } from '../core/errors.ts';
import type { Event, Happening } from '../core/events.ts';
import type { ChangeHint, ClaimRequest, CommitAnswer } from '../core/ports/store.ts';
import type { AcceptedRun, AnswerTo } from '../core/writes.ts';
import { Dispatcher, stopping } from './dispatcher.ts';
import { Feed, type FeedQuery } from './feed.ts';
import { createIds } from './ids.ts';
import { Maintenance } from './maintenance.ts';
import {
  type Outcome,
  type Outcomes,
  type RunOutcome,
  type RunOutcomes,
  runOutcomes,
  taskOutcomes,
} from './outcomes.ts';
import type { EngineParts } from './parts.ts';
import { Reconciler } from './reconcile.ts';
import {
  type SubmitOptions,
  type SubmitParts,
  submitMany,
  submitTask,
  submitWorkflow,
  type WorkflowOptions,
} from './submit.ts';
import { Writer } from './writer.ts';

export { defaultOptions, type EngineOptions, type EngineParts } from './parts.ts';

/** What moves tasks: takes them in, runs them, records how they end. */
export class Engine {
  readonly #parts: EngineParts;
  readonly #writer: Writer;
  readonly #outcomes: Outcomes;
  readonly #runs: RunOutcomes;
  readonly #dispatcher: Dispatcher;
  readonly #maintenance: Maintenance;
  readonly #reconciler: Reconciler;
  readonly #submit: SubmitParts;
  readonly #feed: Feed;
  readonly #newId: () => string;
  #owner: string;
  #joining = false;
  #open = false;
  /** Others took tasks away while a commit was under way: what it claimed may be among them. */
  #revokedMeanwhile = false;
  #unlisten: () => void = () => {};
  #trouble: GleitzeitError | null = null;

  constructor(parts: EngineParts) {
    const { store, timers, logger, options } = parts;
    this.#parts = parts;
    this.#newId = createIds(parts.clock, parts.random);
    this.#owner = this.#newId();
    this.#feed = new Feed(store);
    this.#outcomes = taskOutcomes(store, timers);
    this.#runs = runOutcomes(store, timers);
    this.#writer = new Writer({
      store,
      timers,
      logger,
      few: options.few_writes,
      atOnce: options.commits_at_once,
      hooks: {
        // Not before the store and we agree on what is held: what is claimed now would not be on the list sent to it.
        claim: () => (this.#reconciler.underWay ? null : this.#dispatcher.claim()),
        received: (answer, claim) => this.#dispatcher.received(answer, claim),
        committed: (answer, claim) => this.#committed(answer, claim),
        failed: (error, claim) => {
          this.#dispatcher.failed(claim);
          this.#failed(error);
        },
      },
    });
    this.#reconciler = new Reconciler({
      timers,
      lease_ttl_ms: options.lease_ttl_ms,
      writer: this.#writer,
      dispatcher: () => this.#dispatcher,
      owner: () => this.#owner,
      done: () => {
        this.#checkWaits();
        this.#dispatcher.wake();
      },
    });
    const expectDue = (ms: number) => this.#maintenance.expectDue(ms);
    const shared = { ...parts, writer: this.#writer, outcomes: this.#outcomes, runs: this.#runs, expectDue };
    this.#dispatcher = new Dispatcher({
      ...shared,
      reads: store.reads,
      concurrency: options.concurrency,
      claimsAtOnce: options.commits_at_once,
      unsettled: (task_id, trouble) => {
        logger.warn('an attempt could not be settled', { task_id, error: trouble.message });
        this.#reconcile();
      },
    });
    this.#submit = { ...shared, newId: this.#newId };
    this.#maintenance = new Maintenance({
      ...options,
      clock: parts.clock,
      timers,
      logger,
      writer: this.#writer,
      owner: () => this.#owner,
      lost: () => void this.#rejoin(),
      poll: () => this.#changed({ ready: true, settled: true, revoked: false }),
    });
  }

  /** Joins the store and takes up work, what an earlier engine left behind first. */
  async start(): Promise<void> {
    if (this.#open) return;
    this.#open = true;
    this.#unlisten();
    this.#unlisten = this.#parts.store.onChange((hint) => this.#changed(hint));
    const { ttl_ms } = await this.#join();
    if (this.#open) this.#maintenance.start(ttl_ms !== null);
  }

  /** Why the store took no commit the last time; null where it did. */
  get trouble(): GleitzeitError | null {
    return this.#trouble;
  }

  /** Takes no more tasks; what runs goes on, what was only claimed goes back. */
  async quiet(): Promise<void> {
    this.#open = false;
    this.#maintenance.quiet();
    await this.#dispatcher.quiet();
  }

  /**
   * Waits for running calls until the deadline, then ends them. Losing that race is safe: what is not recorded stays
   * held by this engine's name, and whoever comes next takes it over and runs it again.
   */
  async stop(deadline_ms = 10_000): Promise<void> {
    const { promise: timeUp, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.timers.after(deadline_ms, resolve);
    await Promise.race([this.#windDown().catch(noop), timeUp]);
    cancel();
    this.#maintenance.stop();
    this.#reconciler.stop();
    this.#unlisten();
    this.#writer.close();
    this.#dispatcher.revokeAll(stopping);
    this.#outcomes.release();
    this.#runs.release();
    this.#feed.close();
  }

  submit(task: unknown, options: SubmitOptions = {}): Promise<AcceptedRun> {
    return submitTask(this.#submit, task, options);
  }

  submitMany(tasks: Parameters<typeof submitMany>[1]): Promise<readonly AcceptedRun[]> {
    return submitMany(this.#submit, tasks);
  }

  submitWorkflow(workflow: unknown, options: WorkflowOptions = {}): Promise<AcceptedRun> {
    return submitWorkflow(this.#submit, workflow, options);
  }

  /** How a task ended, or its status when it has not within `wait_ms`; null for a task that is not there. */
  result(task_id: string, wait_ms = 0): Promise<Outcome | null> {
    return this.#outcomes.wait(task_id, wait_ms);
  }

  runResult(workflow_id: string, wait_ms = 0): Promise<RunOutcome | null> {
    return this.#runs.wait(workflow_id, wait_ms);
  }

  cancelTask(task_id: string, reason: string | null = null): Promise<AnswerTo<'cancel_task'>> {
    return this.#thenLook(this.#writer.write({ kind: 'cancel_task', task_id, reason }));
  }

  cancelRun(workflow_id: string, reason: string | null = null): Promise<AnswerTo<'cancel_run'>> {
    return this.#writer.write({ kind: 'cancel_run', workflow_id, reason });
  }

  pauseRun(workflow_id: string): Promise<AnswerTo<'pause_run'>> {
    return this.#writer.write({ kind: 'pause_run', workflow_id });
  }

  resumeRun(workflow_id: string): Promise<AnswerTo<'resume_run'>> {
    return this.#writer.write({ kind: 'resume_run', workflow_id });
  }

  retryTask(task_id: string): Promise<AnswerTo<'retry_task'>> {
    return this.#thenLook(this.#writer.write({ kind: 'retry_task', task_id }));
  }

  /** For what brings tasks into the queue without saying when their total timeouts run out. */
  async #thenLook<Answer>(written: Promise<Answer>): Promise<Answer> {
    const answer = await written;
    this.#maintenance.expectDue(0);
    return answer;
  }

  /** Puts something that belongs to no run on the feed. */
  async announce(happening: Happening): Promise<void> {
    await this.#writer.write({ kind: 'announce', happening });
  }

  events(query: FeedQuery = {}): AsyncGenerator<Event, void, undefined> {
    return this.#feed.events(query);
  }

  async #windDown(): Promise<void> {
    await this.quiet().catch(noop);
    await this.#dispatcher.drained();
    await this.#writer.write({ kind: 'leave', owner: this.#owner });
  }

  async #join(): Promise<AnswerTo<'join'>> {
    const joined = await this.#writer.write(
      { kind: 'join', owner: this.#owner, ttl_ms: this.#parts.options.lease_ttl_ms },
      { lasting: true },
    );
    if (this.#open) this.#dispatcher.open(this.#owner);
    return joined;
  }

  /** Others have given this engine up and may run its tasks: it drops them and comes back under a new name. */
  async #rejoin(): Promise<void> {
    if (this.#joining || !this.#open) return;
    this.#joining = true;
    this.#parts.logger.warn('the lease was lost; calls under way are dropped', {
      calls: this.#dispatcher.held().length,
    });
    this.#dispatcher.revokeAll();
    // What was ours may have settled without us, and nobody who made its call is left to tell.
    this.#outcomes.checkAll();
    this.#runs.checkAll();
    this.#owner = this.#newId();
    // It fails only when the engine has stopped, and then there is nothing to come back to.
    await this.#join().catch(noop);
    this.#joining = false;
  }

  #committed(answer: CommitAnswer, claim: ClaimRequest | null): void {
    this.#trouble = null;
    this.#dispatcher.committed(claim);
    for (const { task_id } of answer.settled) {
      // What a call of ours settled is told by whoever made the call: it has the result at hand.
      if (!this.#dispatcher.holds(task_id)) this.#outcomes.settled(task_id);
    }
    for (const run of answer.settledRuns) this.#runs.record(run.workflow_id, run);
    this.#feed.nudge();
    if (this.#revokedMeanwhile) for (const { task } of answer.claimed) void this.#checkLease(task.task_id);
    this.#revokedMeanwhile = false;
    if (answer.lease_lost && claim?.owner === this.#owner) void this.#rejoin();
  }

  /** Nobody knows what became of the commit: claims that did not reach us are given back, waits are looked at again. */
  #failed(error: GleitzeitError): void {
    this.#trouble = error;
    this.#checkWaits();
    this.#reconcile();
  }

  #checkWaits(): void {
    this.#outcomes.checkAll();
    this.#runs.checkAll();
  }

  #reconcile(): void {
    if (this.#open) this.#reconciler.start();
  }

  /** Something changed through another engine. */
  #changed(hint: ChangeHint): void {
    this.#feed.nudge();
    if (hint.ready) this.#dispatcher.wake();
    if (hint.settled) this.#checkWaits();
    if (!hint.revoked) return;
    this.#revokedMeanwhile = true;
    for (const task_id of this.#dispatcher.held()) void this.#checkLease(task_id);
  }

  async #checkLease(task_id: string): Promise<void> {
    const lease = this.#dispatcher.leaseOf(task_id);
    const found = await this.#parts.store.reads.task(task_id).catch(() => undefined);
    if (lease === null || found === undefined) return;
    const ours = found?.task.owner === lease.owner && found.task.fence === lease.fence;
    if (!ours && this.#dispatcher.leaseOf(task_id)?.fence === lease.fence) this.#dispatcher.revoke(task_id);
  }
}

function noop(): void {}
