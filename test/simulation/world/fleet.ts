import { Engine } from '../../../src/engine/engine.ts';
import { hashText } from '../../../src/store/hash.ts';
import type { Broker } from './broker.ts';
import { Dice } from './dice.ts';
import type { Nature } from './nature.ts';
import { protocols } from './planned.ts';
import { cipher, loggerOf, routerOf, schemas } from './ports.ts';
import { EngineProcess } from './process.ts';
import type { Service } from './service.ts';
import { linkStore, type StoreWatch } from './store-link.ts';

/** A life that went well may end with this much time for what still runs. */
const STOP_MS = [0, 50, 1000, 10_000] as const;

/** There are few of these, so that engines die there more often. */
const rarePoints = ['publish:before', 'publish:after', 'arrival'];

export type FleetWatch = Omit<StoreWatch, 'mayCrash'> & {
  /** The engine says that it has stopped. */
  stopped(process: EngineProcess): void;
  /** A process has opened the store. */
  opened(): void;
};

/** The engines of a world: started, crashed, paused, stopped and started again. */
export class Fleet {
  readonly #nature: Nature;
  readonly #watch: FleetWatch;
  readonly #slots: (EngineProcess | null)[];
  readonly #lives: number[];
  readonly #served: (readonly string[])[];
  readonly #waiting: ((process: EngineProcess) => void)[] = [];
  readonly crashPoints = new Map<string, number>();
  service: Service | null = null;
  /** What calls leave by, where they do. */
  broker: Broker | null = null;

  constructor(nature: Nature, watch: FleetWatch) {
    this.#nature = nature;
    this.#watch = watch;
    const { engines } = nature.weather;
    this.#slots = Array.from({ length: engines }, () => null);
    this.#lives = this.#slots.map(() => 0);
    this.#served = shareOut(nature.dice, engines);
  }

  startAll(): void {
    this.#slots.forEach((_, slot) => {
      this.#nature.scheduler.after(slot * this.#nature.dice.between(0, 50), () => this.start(slot));
    });
  }

  alive(): EngineProcess[] {
    return this.#slots
      .filter((process) => process?.state === 'running')
      .filter((process) => process !== null);
  }

  servedBy(process: EngineProcess): readonly string[] {
    return this.#served[process.slot] ?? [];
  }

  get complete(): boolean {
    return this.alive().length === this.#slots.length;
  }

  /** Some engine that runs, now or as soon as there is one. */
  any(dice: Dice): Promise<EngineProcess> {
    const running = this.alive();
    const [first, ...others] = running;
    if (first !== undefined) return Promise.resolve(dice.pick([first, ...others]));
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  start(slot: number): void {
    const nature = this.#nature;
    if (this.#slots[slot] !== null || this.service === null) return;
    const life = (this.#lives[slot] ?? 0) + 1;
    this.#lives[slot] = life;
    const skew = nature.weather.fair ? 0 : nature.dice.pick([0, 0, 40, -2000, 3_600_000, -7_200_000]);
    const process = new EngineProcess(nature, { slot, life }, skew);
    this.#slots[slot] = process;
    nature.disturb();
    const service = this.service;
    const { concurrency, lease_ttl_ms, keep_ms, poll_ms } = nature.weather;
    const mayCrash = (dying: EngineProcess, point: string) => this.mayCrash(dying, point);
    const engine = new Engine({
      store: linkStore(process, { ...this.#watch, mayCrash }),
      schemas,
      router: routerOf(process, service, this.servedBy(process)),
      dispatch: this.broker?.dispatchOf(process) ?? {
        send: async (provider, call) => provider.call(call),
      },
      cipher,
      clock: process.clock,
      timers: process.timers,
      random: new Dice(nature.seed, process.name),
      logger: loggerOf(process),
      hash: hashText,
      callbackUrl: (task_id) => `world://${task_id}`,
      options: {
        concurrency,
        lease_ttl_ms,
        keep_ms,
        poll_ms,
        // Few enough that busy moments commit early, as a loaded engine does.
        few_writes: 1 + (nature.seed % 8),
        commits_at_once: 1 + (nature.seed % 3),
      },
    });
    process.engine = engine;
    this.#watch.opened();
    nature.trace(process.name, 'start');
    process.deliver(0, () => {
      engine.start().catch((thrown: unknown) => nature.trace(process.name, 'start failed', String(thrown)));
      for (const tell of this.#waiting.splice(0)) tell(process);
    });
  }

  mayCrash(process: EngineProcess, point: string): boolean {
    if (!process.alive) return true;
    const weight = rarePoints.includes(point) ? 8 : 1;
    if (!this.#nature.mishap(this.#nature.weather.crash * weight)) return false;
    this.crashPoints.set(point, (this.crashPoints.get(point) ?? 0) + 1);
    this.crash(process, point);
    return true;
  }

  crash(process: EngineProcess, why: string): void {
    const nature = this.#nature;
    if (!process.alive) return;
    nature.crashes++;
    nature.disturb();
    nature.trace(process.name, 'CRASH', why);
    process.end('crashed');
    const inFlight = nature.weather.exclusive || nature.dice.chance(0.5) ? 0 : nature.dice.between(0, 300);
    // What was sent to a database may still arrive there after its sender died.
    if (inFlight === 0) process.store?.crash();
    else nature.scheduler.after(inFlight, () => process.store?.crash());
    this.#startAgain(process.slot, nature.calm ? nature.dice.between(1, 200) : nature.dice.between(1, 2500));
  }

  pause(ms: number): void {
    const process = this.#oneOf(this.alive());
    if (process === undefined) return;
    this.#nature.trace(process.name, 'pause', ms);
    process.pausedUntil = this.#nature.now + ms;
    this.#nature.disturb(ms);
  }

  partition(ms: number): void {
    const process = this.#oneOf(this.alive());
    if (process === undefined) return;
    this.#nature.trace(process.name, 'partition', ms);
    process.partitionedUntil = this.#nature.now + ms;
    this.#nature.disturb(ms);
  }

  jumpClock(ms: number): void {
    const process = this.#oneOf(this.alive());
    if (process === undefined) return;
    this.#nature.trace(process.name, 'clock jumps', ms);
    process.jumpClock(ms);
  }

  /** Ends every trouble an engine is in. */
  heal(): void {
    for (const process of this.#slots) {
      if (process === null) continue;
      process.partitionedUntil = 0;
      process.pausedUntil = Math.min(process.pausedUntil, this.#nature.now + 1);
    }
  }

  async stopOne(): Promise<void> {
    const process = this.#oneOf(this.alive());
    if (process !== undefined) await this.stop(process, this.#nature.dice.pick(STOP_MS));
    if (process?.state === 'stopped') this.#startAgain(process.slot, this.#nature.dice.between(1, 1000));
  }

  async stop(process: EngineProcess, deadline_ms: number): Promise<void> {
    const { engine, nature } = process;
    if (engine === null || process.state !== 'running') return;
    process.state = 'stopping';
    nature.trace(process.name, 'stop', deadline_ms);
    nature.disturb();
    await process.arrival(0);
    const quieted = engine.quiet().catch(() => {});
    void quieted.then(() => {
      process.quiet = true;
    });
    await quieted;
    await engine.stop(deadline_ms);
    nature.trace(process.name, 'stopped');
    nature.disturb();
    this.#watch.stopped(process);
    process.end('stopped');
    if (this.#slots[process.slot] === process) this.#slots[process.slot] = null;
    await process.store?.close();
  }

  #startAgain(slot: number, ms: number): void {
    this.#slots[slot] = null;
    this.#nature.scheduler.after(ms, () => this.start(slot));
  }

  #oneOf(processes: readonly EngineProcess[]): EngineProcess | undefined {
    const [first, ...others] = processes;
    return first === undefined ? undefined : this.#nature.dice.pick([first, ...others]);
  }
}

/** Who serves which protocol: each at least one engine, so that nothing waits for ever for somebody who can do it. */
function shareOut(dice: Dice, engines: number): string[][] {
  const everybody = dice.chance(0.5);
  const owners = protocols.map(() => dice.whole(0, engines - 1));
  return Array.from({ length: engines }, (_, slot) =>
    protocols.filter((__, index) => everybody || owners[index] === slot || dice.chance(0.2)),
  );
}
