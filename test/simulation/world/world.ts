import { Progress } from '../invariants/progress.ts';
import { checkAccepted, checkRest } from '../invariants/rest.ts';
import { Witness } from '../invariants/witness.ts';
import { Answers } from './answers.ts';
import { Broker, type BrokerWatch } from './broker.ts';
import { Client } from './client.ts';
import { Dice } from './dice.ts';
import { Fleet } from './fleet.ts';
import { Nature, type Violation } from './nature.ts';
import type { EngineProcess } from './process.ts';
import { Service } from './service.ts';
import { Subscriber } from './subscriber.ts';

export type Outcome = {
  readonly seed: number;
  readonly steps: number;
  readonly crashes: number;
  readonly violations: readonly Violation[];
  readonly lines: readonly string[];
  readonly crashPoints: ReadonlyMap<string, number>;
};

/** Far more than any seed needs: whoever takes more goes round in circles. */
const MOST_STEPS = 300_000;
const REST_MS = 240_000;
const LONGEST_COMMIT_MS = 10_000;

/** One world from its beginning until it has come to rest and was looked at. */
export async function simulate(seed: number, options: { trace?: boolean } = {}): Promise<Outcome> {
  const nature = new Nature(seed, options.trace ?? false);
  const world = new World(nature);
  const unhandled = (reason: unknown) => nature.fail('no unhandled rejections', String(reason));
  process.on('unhandledRejection', unhandled);
  try {
    void world.live().catch((thrown: unknown) => nature.fail('the world runs', String(thrown)));
    await nature.scheduler.run(() => world.over || nature.violations.length > 0 || world.tooLong());
  } catch (thrown) {
    nature.fail(
      'nothing is thrown out of a callback',
      thrown instanceof Error ? (thrown.stack ?? '') : String(thrown),
    );
  } finally {
    process.off('unhandledRejection', unhandled);
  }
  const { violations, lines, crashes, scheduler } = nature;
  return { seed, steps: scheduler.steps, crashes, violations, lines, crashPoints: world.fleet.crashPoints };
}

class World {
  readonly #nature: Nature;
  readonly fleet: Fleet;
  readonly #client: Client;
  readonly #witness: Witness;
  readonly #answers: Answers;
  readonly #subscribers: readonly Subscriber[];
  over = false;

  constructor(nature: Nature) {
    this.#nature = nature;
    nature.trace('world', 'weather', nature.weather);
    this.fleet = new Fleet(nature, {
      committed: (process, commit) => this.#witness.committed(process, commit),
      answered: (process, answer) => this.#witness.answered(process, answer),
      stopped: (process) => this.#checkStopped(process),
      opened: () => this.#witness.reopened(),
    });
    this.#client = new Client(nature, this.fleet, {
      accepted: (_, submission, runs) => checkAccepted({ nature, client: this.#client }, submission, runs),
      refused: (submission, error) => this.#checkRefusal(submission, error.code),
      told: (process, id, outcome, asked) => this.#witness.told.task(process, id, outcome, asked),
      toldRun: (process, id, outcome, asked) => this.#witness.told.run(process, id, outcome, asked),
      held: (process) => this.#witness.calls.heldBy(process),
    });
    this.#witness = new Witness(nature, this.#client.planner);
    const service = new Service(nature, {
      mayCrash: (process, point) => this.fleet.mayCrash(process, point),
      crash: (process, why) => this.fleet.crash(process, why),
      called: (record) => this.#witness.calls.called(record),
      answers: (record, answer) => this.#witness.calls.answers(record, answer),
      answersBridge: (message, answer) => {
        this.#witness.calls.answers(message, answer);
        this.#witness.away.answers(message, answer);
      },
      reports: (record) => this.#witness.reports.made(record),
      kept: (record, text) => this.#witness.outside.keptFor(record, text),
      asked: () => this.#answers.begin(),
      callsBack: (task_id, token) => this.#answers.callBack(task_id, token),
    });
    this.fleet.service = service;
    this.fleet.broker = this.#brokerFor(service);
    const { line } = this.#client;
    const acknowledged = (task_id: string, attempt: number, response: string) =>
      this.#witness.outside.acknowledged(task_id, attempt, response);
    this.#answers = new Answers(nature, { fleet: this.fleet, line, acknowledged });
    this.#subscribers = [
      new Subscriber(nature, this.fleet, null),
      new Subscriber(nature, this.fleet, ['task:completed', 'task:failed', 'workflow:completed']),
    ];
  }

  #brokerFor(service: Service): Broker | null {
    const { bridge } = this.#nature.weather;
    if (bridge === null) return null;
    const watch: BrokerWatch = {
      mayCrash: (process, point) => this.fleet.mayCrash(process, point),
      sent: (message) => this.#witness.calls.sent({ ...message, process: message.engine }),
      published: (message) => this.#witness.away.published(message),
      over: (message) => this.#witness.away.over(message),
      abandoned: (process, name) => this.#witness.away.abandoned(process, name),
      acknowledged: (process, name) => this.#witness.away.acknowledged(process, name),
    };
    return new Broker(this.#nature, bridge, { service, watch });
  }

  async live(): Promise<void> {
    const { scheduler, weather } = this.#nature;
    this.fleet.startAll();
    for (const subscriber of this.#subscribers) void subscriber.follow();
    new Progress({
      nature: this.#nature,
      fleet: this.fleet,
      client: this.#client,
      ...this.#watched(),
    }).watch();
    this.#plan(weather.operations, () => this.#client.act());
    this.#planTrouble();
    await scheduler.sleep(weather.chaos_ms);
    this.#nature.calm = true;
    this.#nature.disturb();
    this.#nature.diskFullUntil = 0;
    this.fleet.heal();
    this.fleet.broker?.heal();
    this.#nature.trace('world', 'calm');
    await this.#comeToRest();
    await this.#placesFree();
    await this.#probeAndStop();
    this.#witness.away.checkRest();
    checkRest({
      nature: this.#nature,
      client: this.#client,
      ...this.#watched(),
    });
    this.over = true;
  }

  tooLong(): boolean {
    if (this.#nature.scheduler.steps < MOST_STEPS) return false;
    this.#nature.fail(
      'the world comes to rest',
      `still busy after ${MOST_STEPS} steps, at ${this.#nature.now} ms`,
    );
    return true;
  }

  #watched() {
    const { shadow, log, calls, told, pauses } = this.#witness;
    return { shadow, log, calls, told, pauses, subscribers: this.#subscribers };
  }

  #plan(times: number, act: () => unknown): void {
    const { scheduler, dice, weather } = this.#nature;
    for (let i = 0; i < times; i++) scheduler.after(dice.between(0, weather.chaos_ms), act);
  }

  /** By draws of their own: worlds without them are what they would be anyway. */
  #planPauses(): void {
    const { scheduler, weather, seed } = this.#nature;
    const dice = new Dice(seed, 'queue pauses');
    const { queues } = this.#client;
    for (let i = 0; i < weather.queue_pauses; i++) {
      const act = () => void (dice.chance(0.5) ? queues.pause() : queues.resume());
      scheduler.after(dice.between(0, weather.chaos_ms), act);
    }
  }

  #planTrouble(): void {
    const { dice, weather } = this.#nature;
    const { hang_ms } = weather;
    this.#plan(weather.partitions, () => this.fleet.partition(dice.between(50, hang_ms)));
    this.#plan(weather.pauses, () => this.fleet.pause(dice.between(50, hang_ms)));
    // Clocks jump at any time, and nobody may notice.
    const jump = () => this.fleet.jumpClock(dice.between(-7_200_000, 7_200_000));
    this.#plan(weather.clock_jumps, jump);
    this.#plan(weather.clock_jumps, () => this.#nature.scheduler.after(weather.chaos_ms, jump));
    this.#plan(weather.stops, () => this.fleet.stopOne());
    this.#planPauses();
    this.#planBridgeTrouble();
    this.#plan(weather.disk_full, () => {
      this.#nature.diskFullUntil = this.#nature.now + dice.between(50, 2000);
      this.#nature.disturb();
    });
  }

  #planBridgeTrouble(): void {
    const { weather, scheduler, seed } = this.#nature;
    const { bridge, chaos_ms } = weather;
    const { broker } = this.fleet;
    if (bridge === null || broker === null) return;
    const dice = new Dice(seed, 'bridge trouble');
    const plan = (times: number, act: () => void) => {
      for (let i = 0; i < times; i++) scheduler.after(dice.between(0, chaos_ms), act);
    };
    plan(bridge.deaths, () => broker.killOne());
    plan(bridge.outages, () => broker.goAway(dice.between(50, 3000)));
  }

  /** Until all is settled, or for as long as that may take at most. */
  async #comeToRest(): Promise<void> {
    const { scheduler, data } = this.#nature;
    const until = this.#nature.now + REST_MS;
    for (;;) {
      await scheduler.sleep(50);
      for (const run of data.runs.values())
        if (run.status === 'paused') this.#client.paused.add(run.workflow_id);
      if (this.#client.paused.size > 0) await this.#client.resumeAll();
      if (this.#witness.pauses.any) await this.#client.queues.resume(null);
      const open = [...data.tasks.values()].find((row) => row.settled_at === null);
      const quiet = this.#nature.now > this.#nature.disturbedAt + 100 && this.fleet.complete;
      if (open === undefined && quiet && this.#client.idle) return;
      if (this.#nature.now < until) continue;
      return this.#nature.fail(
        'everything settles',
        `${open?.task_id} is ${open?.status}, held by ${open?.owner}`,
      );
    }
  }

  /** Nothing is away, so that no place is taken; where news was lost it takes a while until that is known. */
  async #placesFree(): Promise<void> {
    const nature = this.#nature;
    const until = nature.now + (nature.weather.fair ? 1000 : 150_000);
    const taken = () => this.fleet.alive().filter(({ doorman }) => (doorman?.inside ?? 0) > 0);
    while (taken().length > 0 && nature.now < until) await nature.scheduler.sleep(50);
    for (const { name, doorman } of taken())
      nature.fail('places are given back', `${name}: ${doorman?.inside} taken`);
  }

  /** The others leave, and the one that stays must still work; then it leaves as well. */
  async #probeAndStop(): Promise<void> {
    const { scheduler } = this.#nature;
    const stopping = this.fleet.alive();
    const [last, ...others] = stopping;
    for (const process of others) await this.fleet.stop(process, 1000);
    if (last === undefined) return;
    await scheduler.sleep(10);
    await Promise.all([1, 2, 3].map(() => this.#client.probe(last)));
    await this.#caughtUp();
    for (const subscriber of this.#subscribers) subscriber.stop();
    await this.fleet.stop(last, 1000);
    const { engines, owned } = this.#nature.data;
    if (owned.size > 0) this.#nature.fail('stop gives everything back', [...owned].join());
    const { calls, shadow } = this.#witness;
    const left = [...engines.keys()].filter(
      (owner) => stopping.some((one) => one === calls.processOf(owner)) && !shadow.revived.has(owner),
    );
    if (left.length > 0) this.#nature.fail('stop leaves', left.join());
  }

  /** Reads that hang may fail first, and then the subscribers come back. */
  async #caughtUp(): Promise<void> {
    const nature = this.#nature;
    const { events } = this.#witness.log;
    const until = Math.max(nature.disturbedAt, nature.now) + 3000;
    const last = (names: readonly string[] | null) =>
      events.findLast(({ event }) => names?.includes(event) ?? true);
    const behind = ({ names, cursor }: Subscriber) => cursor < (last(names)?.cursor ?? 0);
    while (nature.now < until && this.#subscribers.some(behind)) await nature.scheduler.sleep(20);
  }

  /** Whoever asked an engine that stopped hears of it once its last commit is through. */
  #checkStopped(process: EngineProcess): void {
    const nature = this.#nature;
    const waiting = [...this.#client.waits].filter((wait) => wait.process === process).length;
    if (process.timersLeft > waiting)
      nature.fail('no timers after stop', `${process.name}: ${process.timersLeft}`);
    nature.scheduler.after(LONGEST_COMMIT_MS, () => {
      for (const { what, process: asked } of this.#client.line.pending) {
        if (asked === process && !what.startsWith('wait'))
          nature.fail('stop leaves no call unanswered', what);
      }
    });
  }

  #checkRefusal(
    { name, mustConflict, key }: { name: string; mustConflict: boolean; key: string | null },
    code: string,
  ) {
    const conflict =
      code === 'GLZ1009' &&
      (mustConflict || (this.#client.submissions.byKey.get(key ?? '')?.length ?? 0) > 1);
    if (!conflict) this.#nature.fail('a good submission is accepted', `${name}: ${code}`);
  }
}
