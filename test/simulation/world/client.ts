import type { GleitzeitError } from '../../../src/core/errors.ts';
import type { AcceptedRun } from '../../../src/core/writes.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { Outcome, RunOutcome } from '../../../src/engine/outcomes.ts';
import { Dice } from './dice.ts';
import type { Fleet } from './fleet.ts';
import { Line, type Reply } from './line.ts';
import type { Nature } from './nature.ts';
import { Planner } from './planned.ts';
import type { EngineProcess } from './process.ts';
import { Queues } from './queues.ts';
import { Retries } from './retries.ts';
import { type Submission, Submissions, send } from './submissions.ts';

export type ClientWatch = {
  accepted(process: EngineProcess, submission: Submission, runs: readonly AcceptedRun[]): void;
  refused(submission: Submission, error: GleitzeitError): void;
  told(process: EngineProcess, task_id: string, outcome: Outcome | null, asked: Asked): void;
  toldRun(process: EngineProcess, workflow_id: string, outcome: RunOutcome | null, asked: Asked): void;
  /** Tasks that a process holds now, running or not. */
  held(process: EngineProcess): readonly string[];
};

/** A wait: when it began and how long the caller would wait, in milliseconds. */
export type Asked = { readonly at: number; readonly wait_ms: number };

export type Waiting = {
  readonly since: number;
  readonly process: EngineProcess;
  readonly key: string;
  readonly run: boolean;
};

/** Errors that leave open whether something was written. */
const doubtful = new Set(['GLZ3001', 'GLZ3002', 'GLZ3003', 'GLZ9002']);

/** The load: everything a user may ask for, at random, from whichever engine runs. */
export class Client {
  readonly #nature: Nature;
  readonly #fleet: Fleet;
  readonly #watch: ClientWatch;
  readonly #dice: Dice;
  readonly line: Line;
  readonly planner: Planner;
  readonly submissions = new Submissions();
  /** Waits under way, for whoever checks that they are told in time. */
  readonly waits = new Set<Waiting>();
  readonly paused = new Set<string>();
  readonly queues: Queues;
  readonly #retries: Retries;
  #keys = 0;
  #acting = 0;

  constructor(nature: Nature, fleet: Fleet, watch: ClientWatch) {
    this.#nature = nature;
    this.#fleet = fleet;
    this.#watch = watch;
    this.#dice = new Dice(nature.seed, 'client');
    this.line = new Line(nature);
    this.planner = new Planner(new Dice(nature.seed, 'plans'), nature.weather.poison);
    const parts = { fleet, line: this.line, submissions: this.submissions };
    this.queues = new Queues(nature, { ...parts, dice: new Dice(nature.seed, 'queues') });
    const wait = (process: EngineProcess, runs: readonly AcceptedRun[]) => this.#waitAtOnce(process, runs);
    this.#retries = new Retries(nature, { ...parts, wait, dice: new Dice(nature.seed, 'retries') });
  }

  /** Nobody of this client waits for an engine. */
  get idle(): boolean {
    return this.#acting === 0;
  }

  async act(): Promise<void> {
    this.#acting++;
    await this.#act();
    this.#acting--;
  }

  /** One thing a user does. */
  async #act(): Promise<void> {
    const draw = this.#dice.next();
    if (draw < 0.19) await this.#submit(this.#lone());
    else if (draw < 0.27) await this.#submit(this.#many());
    else if (draw < 0.46) await this.#submit(this.#workflow());
    else if (draw < 0.51) await this.#repeat();
    else if (draw < 0.55) await this.#conflict();
    else if (draw < 0.62) await this.#cancelTask();
    else if (draw < 0.65) await this.#onRun('cancel', (engine, id) => engine.cancelRun(id, 'enough'));
    else if (draw < 0.73) await this.#startOver();
    else if (draw < 0.75) await this.#pause();
    else if (draw < 0.77) await this.resumeAll();
    else if (draw < 0.83) await this.#onTask('retry', (engine, id) => engine.retryTask(id));
    else if (draw < 0.87) await this.#retries.act();
    else if (draw < 0.88) await this.queues.pause();
    else if (draw < 0.89) await this.queues.resume();
    else if (draw < 0.96) await this.#wait();
    else if (draw < 0.98) await this.#waitForRun();
    else await this.#announce();
  }

  /** Asks one engine for something simple, to see that it still works. */
  async probe(process: EngineProcess): Promise<void> {
    const [first, ...others] = this.#fleet.servedBy(process);
    if (first === undefined) return;
    const tasks = [this.planner.probe(this.#dice.pick([first, ...others]))];
    const submission = this.#newSubmission({ tasks, workflow: null, key: null });
    await this.#send(process, submission);
    const [, task_id] = submission.accepted?.[0]?.tasks[0] ?? [];
    if (task_id !== undefined) await this.#waitFor(process, task_id, Number.POSITIVE_INFINITY);
  }

  async resumeAll(): Promise<void> {
    for (const workflow_id of this.paused) {
      const reply = await this.#ask(`resume ${workflow_id}`, (engine) => engine.resumeRun(workflow_id));
      const over = reply.kind === 'error' && !doubtful.has(reply.error.code);
      if (reply.kind === 'ok' || over) this.paused.delete(workflow_id);
    }
  }

  #lone(): Submission {
    return this.#newSubmission({ tasks: [this.planner.task()], workflow: null, key: this.#key(0.4) });
  }

  #many(): Submission {
    const tasks = Array.from({ length: this.#dice.whole(2, 6) }, () => this.planner.task());
    return this.#newSubmission({ tasks, workflow: null, key: null });
  }

  #workflow(): Submission {
    const workflow = { ...this.planner.workflow(), word: `word${this.#dice.whole(0, 99)}` };
    return this.#newSubmission({ tasks: workflow.tasks, workflow, key: this.#key(0.4) });
  }

  #key(probability: number): string | null {
    return this.#dice.chance(probability) ? `key-${++this.#keys}` : null;
  }

  #newSubmission(given: Pick<Submission, 'tasks' | 'workflow' | 'key'>): Submission {
    const name = `s${this.submissions.all.length}`;
    return this.submissions.add({
      ...given,
      name,
      sent: false,
      accepted: null,
      created: 0,
      refused: false,
      mustConflict: false,
    });
  }

  /** With a key the client asks until it knows; without one it must not ask twice. */
  async #submit(submission: Submission): Promise<void> {
    for (let tries = 0; tries < (submission.key === null ? 1 : 5); tries++) {
      const process = await this.#fleet.any(this.#dice);
      const reply = await this.#send(process, submission);
      if (reply.kind === 'ok' && this.#dice.chance(0.25)) await this.#waitAtOnce(process, reply.value);
      if (reply.kind === 'ok' || submission.refused) return;
      await this.#nature.scheduler.sleep(this.#dice.between(1, 400));
    }
  }

  async #send(process: EngineProcess, submission: Submission): Promise<Reply<readonly AcceptedRun[]>> {
    submission.sent = true;
    const heard = (runs: readonly AcceptedRun[]) => {
      this.#watch.accepted(process, submission, runs);
      this.submissions.accept(submission, runs);
    };
    const reply = await this.line.call(
      process,
      `submit ${submission.name}`,
      (engine) => send(engine, submission),
      heard,
    );
    if (reply.kind === 'error' && !doubtful.has(reply.error.code)) {
      this.#watch.refused(submission, reply.error);
      submission.refused = true;
    }
    return reply;
  }

  /** As most callers do: the same engine, right after it accepted. */
  async #waitAtOnce(process: EngineProcess, runs: readonly AcceptedRun[]): Promise<void> {
    const [first, ...others] = runs.flatMap(({ tasks }) => tasks.map(([, task_id]) => task_id));
    if (first !== undefined) await this.#waitFor(process, this.#dice.pick([first, ...others]), 30_000);
  }

  async #repeat(): Promise<void> {
    const submission = this.#earlier();
    if (submission !== undefined) await this.#submit(submission);
  }

  async #conflict(): Promise<void> {
    const earlier = this.#earlier();
    if (earlier === undefined || earlier.mustConflict) return;
    const other = this.#newSubmission({ tasks: [this.planner.task()], workflow: null, key: earlier.key });
    other.mustConflict = earlier.accepted !== null;
    await this.#submit(other);
  }

  #earlier(): Submission | undefined {
    const [first, ...others] = this.submissions.all.filter(({ key }) => key !== null);
    return first === undefined ? undefined : this.#dice.pick([first, ...others]);
  }

  async #cancelTask(): Promise<void> {
    const process = await this.#fleet.any(this.#dice);
    const task_id = this.#heldOrNew(process);
    if (task_id === undefined) return;
    await this.line.call(process, `cancel ${task_id}`, (engine) => engine.cancelTask(task_id));
  }

  /** Cancelled and asked for again at once, while its call runs. */
  async #startOver(): Promise<void> {
    const process = await this.#fleet.any(this.#dice);
    const task_id = this.#heldOrNew(process);
    if (task_id === undefined) return;
    await this.line.call(process, `start over ${task_id}`, (engine) =>
      Promise.all([engine.cancelTask(task_id), engine.retryTask(task_id)]),
    );
  }

  async #pause(): Promise<void> {
    await this.#onRun('pause', (engine, id) => {
      this.paused.add(id);
      return engine.pauseRun(id);
    });
  }

  async #onTask(verb: string, ask: (engine: Engine, task_id: string) => Promise<unknown>): Promise<void> {
    const task_id = this.#oneOf(this.submissions.taskIds);
    if (task_id === undefined) return;
    await this.#ask(`${verb} ${task_id}`, (engine) => ask(engine, task_id));
  }

  async #onRun(verb: string, ask: (engine: Engine, id: string) => Promise<unknown>): Promise<void> {
    const id = this.#oneOf(this.submissions.runIds);
    if (id !== undefined) await this.#ask(`${verb} ${id}`, (engine) => ask(engine, id));
  }

  async #wait(): Promise<void> {
    const task_id = this.#oneOf(this.submissions.taskIds);
    if (task_id === undefined) return;
    const wait_ms = this.#dice.pick([0, 5, 500, 20_000, Number.POSITIVE_INFINITY]);
    await this.#waitFor(await this.#fleet.any(this.#dice), task_id, wait_ms);
  }

  async #waitFor(process: EngineProcess, task_id: string, wait_ms: number): Promise<void> {
    const waiting = { process, key: task_id, run: false, since: this.#nature.now };
    const asked = { at: this.#nature.now, wait_ms };
    const ask = (engine: Engine) => {
      this.waits.add(waiting);
      return engine.result(task_id, wait_ms);
    };
    const heard = (outcome: Outcome | null) => {
      this.waits.delete(waiting);
      this.#watch.told(process, task_id, outcome, asked);
    };
    await this.line.call(process, `wait ${task_id}`, ask, heard);
    this.waits.delete(waiting);
  }

  async #waitForRun(): Promise<void> {
    const workflow_id = this.#oneOf(this.submissions.runIds);
    if (workflow_id === undefined) return;
    const process = await this.#fleet.any(this.#dice);
    const wait_ms = this.#dice.pick([0, 500, Number.POSITIVE_INFINITY]);
    const waiting = { process, key: workflow_id, run: true, since: this.#nature.now };
    const asked = { at: this.#nature.now, wait_ms };
    const ask = (engine: Engine) => {
      this.waits.add(waiting);
      return engine.runResult(workflow_id, wait_ms);
    };
    const heard = (outcome: RunOutcome | null) => {
      this.waits.delete(waiting);
      this.#watch.toldRun(process, workflow_id, outcome, asked);
    };
    await this.line.call(process, `wait for run ${workflow_id}`, ask, heard);
    this.waits.delete(waiting);
  }

  async #announce(): Promise<void> {
    const data = { provider: 'p', protocol: 'alpha/v1' };
    await this.#ask('announce', (engine) => engine.announce({ event: 'provider:connected', data }));
  }

  async #ask<Answer>(what: string, ask: (engine: Engine) => Promise<Answer>): Promise<Reply<Answer>> {
    return this.line.call(await this.#fleet.any(this.#dice), what, ask);
  }

  #heldOrNew(process: EngineProcess): string | undefined {
    const held = this.#dice.chance(0.7) ? this.#oneOf(this.#watch.held(process)) : undefined;
    return held ?? this.#oneOf(this.submissions.taskIds);
  }

  #oneOf(ids: readonly string[]): string | undefined {
    // The newest are those that something still happens to.
    const [first, ...others] = ids.slice(-12);
    return first === undefined ? undefined : this.#dice.pick([first, ...others]);
  }
}
