import { GleitzeitError } from '../../core/errors.ts';
import type { Consumer } from '../broker.ts';
import type { CallParts } from './call.ts';
import { Intake } from './intake.ts';
import type { Job } from './job.ts';
import { Lanes } from './lanes.ts';
import { Lines } from './lines.ts';
import type { BridgeParts, Callee } from './parts.ts';
import { Sender } from './sender.ts';
import { Tidings } from './tidings.ts';
import { about, outcomeOf } from './words.ts';
import { type Done, refuse, work } from './work.ts';

export type BridgeStatus = {
  /** Calls that are made now. */
  readonly running: number;
  /** Those that wait for their turn, or for a service to be asked again. */
  readonly waiting: number;
  readonly held: number;
  readonly held_bytes: number;
};

/**
 * The bridge: takes tasks from a topic as one of a group, makes their calls side by side, and tells their results. A message is
 * acknowledged when its result is durable and not before, so that whatever happens to a bridge, another one makes its calls.
 */
export class BridgeService {
  readonly #parts: BridgeParts;
  readonly #calls: CallParts;
  readonly #intake: Intake;
  readonly #lanes: Lanes;
  readonly #results: Sender;
  readonly #deadLetters: Sender;
  #tasks: Consumer | null = null;
  #control: Consumer | null = null;
  #quiet = false;
  #idle: (() => void) | null = null;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
    const { topics, concurrency } = parts.options;
    const { broker, timers, clock, logger, name: bridge } = parts;
    const sender = (topic: string) => new Sender({ broker, topic, timers, logger });
    this.#results = sender(topics.results);
    this.#deadLetters = sender(topics.dead_letters);
    const tidings = new Tidings({ bridge, topic: topics.updates, broker, clock, timers, logger });
    const lines = new Lines(parts.router, timers);
    this.#calls = { ...parts, lines, tidings, kept: sender(topics.kept) };
    this.#lanes = new Lanes(concurrency);
    const [results, deadLetters] = [this.#results, this.#deadLetters];
    this.#intake = new Intake({
      ...{ ...parts, results, deadLetters, begin: (job) => this.#begin(job) },
      refuse: (job, why) => void this.#end(job, refuse(this.#calls, job, why)),
    });
  }

  get status(): BridgeStatus {
    const { lines } = this.#calls;
    const standing = lines.waiting;
    return {
      running: this.#lanes.running - standing,
      waiting: this.#lanes.waiting + standing,
      held: this.#intake.size,
      held_bytes: this.#intake.bytes,
    };
  }

  /** The topics are there. Resolves when it is a member of its group. */
  async start(): Promise<void> {
    const { broker, options } = this.#parts;
    const { topics, group, most_messages: most_unacknowledged } = options;
    this.#control = await broker.subscribe(topics.control, this.#intake.hear);
    this.#tasks = await broker.consume(
      { topic: topics.tasks, group, most_unacknowledged },
      this.#intake.take,
    );
    this.#intake.consumer = this.#tasks;
  }

  /** Takes no more; calls that run go on, those that have not begun are left to others. */
  async quiet(): Promise<void> {
    this.#quiet = true;
    await this.#tasks?.quiet();
    for (const job of this.#intake.jobs) if (!job.begun) job.leave();
  }

  /** Waits for the calls that run until the deadline; what is left then goes to others, at once. */
  async stop(deadline_ms: number): Promise<void> {
    const { clock, timers } = this.#parts;
    const until = clock.monotonic() + deadline_ms;
    await this.quiet();
    const { promise: timeUp, resolve } = Promise.withResolvers<void>();
    const cancel = timers.after(deadline_ms, resolve);
    await Promise.race([this.#ended(), timeUp]);
    cancel();
    for (const job of this.#intake.jobs) job.leave();
    for (const sender of [this.#results, this.#deadLetters, this.#calls.kept]) sender.close();
    this.#calls.lines.close();
    const left = Math.max(0, until - clock.monotonic());
    await this.#control?.stop(left);
    await this.#tasks?.stop(Math.max(1000, left));
  }

  #ended(): Promise<void> {
    if (this.#intake.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }

  #begin(job: Job): void {
    const callee = this.#parts.directory.find(job.task);
    if (callee === null) void this.#look(job);
    else this.#join(job, callee);
  }

  async #look(job: Job): Promise<void> {
    const { directory } = this.#parts;
    const callee = await directory.lookFor(job.task).catch((thrown: unknown) => GleitzeitError.from(thrown));
    if (callee instanceof GleitzeitError) return this.#end(job, refuse(this.#calls, job, callee));
    if (callee !== null) return this.#join(job, callee);
    const { agent_name } = job.task;
    const why = new GleitzeitError(
      'GLZ2007',
      `there is no agent or provider "${agent_name}" at this bridge`,
      {
        hint: 'register it with gleitzeit agent register, or give bridges the configuration that engines have',
      },
    );
    return this.#end(job, refuse(this.#calls, job, why));
  }

  #join(job: Job, callee: Callee): void {
    this.#lanes.join(callee.provider, () => this.#work(job, callee));
  }

  async #work(job: Job, callee: Callee): Promise<void> {
    if (this.#quiet) job.leave();
    if (job.lost || job.over.aborted || this.#isLate(job)) return this.#end(job, null);
    await this.#end(job, await work(this.#calls, job, callee), callee);
  }

  #isLate({ task: { ours } }: Job): boolean {
    return ours !== null && ours.expires_at_ms <= this.#parts.clock.wall();
  }

  /** Null: nothing is told of it. Then it is done with where nobody waits for it, and otherwise left to others. */
  async #end(job: Job, done: Done | null, callee?: Callee): Promise<void> {
    if (done !== null && (await this.#results.send(done.message))) {
      job.ack();
      this.#intake.end(job, done.message);
      this.#answered(job, done, callee);
    } else {
      if (done === null && this.#isUnwanted(job)) job.ack();
      this.#intake.forget(job);
    }
    if (this.#intake.size === 0) this.#idle?.();
  }

  #answered(job: Job, { answer, took_ms }: Done, callee: Callee | undefined): void {
    const { observer, logger } = this.#parts;
    const outcome = outcomeOf(answer);
    observer.answered(callee?.agent ?? job.task.agent_name, outcome, took_ms);
    const line = { ...about(job.task, callee), outcome, ms: Math.round(took_ms) };
    if (answer.word !== 'failed') logger.debug('answered', line);
    else {
      const { error_code } = answer.error.data;
      logger.warn('a call failed', { ...line, error_code, error: answer.error.message });
    }
  }

  /** Cancelled, or too late for anybody. What is only not ours any more has to be done by others. */
  #isUnwanted(job: Job): boolean {
    const { observer, logger } = this.#parts;
    if (job.cancelled) {
      observer.dropped('cancelled');
      logger.info('a call was cancelled', about(job.task));
      return true;
    }
    if (!job.over.aborted && !job.lost) {
      observer.dropped('expired');
      logger.warn('nobody waits for this call any more: it stood in line for too long', about(job.task));
      return true;
    }
    observer.dropped('lost');
    return false;
  }
}
