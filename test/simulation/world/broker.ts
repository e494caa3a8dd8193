import type { Answer } from '../../../src/core/answer.ts';
import { type AttemptName, correlationId } from '../../../src/core/attempt-name.ts';
import { GleitzeitError } from '../../../src/core/errors.ts';
import type {
  Arrivals,
  ArrivedNews,
  Dispatch,
  OutgoingCall,
  Sent,
} from '../../../src/core/ports/dispatch.ts';
import type { Provider } from '../../../src/core/ports/provider.ts';
import type { Line, RoomListener } from '../../../src/core/ports/router.ts';
import { Bridge } from './bridge.ts';
import type { BridgeWeather } from './bridge-weather.ts';
import { Dice } from './dice.ts';
import { type Message, messageOf } from './message.ts';
import { type Nature, never } from './nature.ts';
import type { EngineProcess } from './process.ts';
import { Results } from './results.ts';
import type { Service } from './service.ts';

export type BrokerWatch = {
  mayCrash(process: EngineProcess, point: string): boolean;
  /** An engine hands it out. */
  sent(message: Message): void;
  /** It is at the broker for good. */
  published(message: Message): void;
  /** A bridge has an answer to it, or will not make it. */
  over(message: Message): void;
  abandoned(process: EngineProcess, name: AttemptName): void;
  /** An engine says that it has the answer for good. */
  acknowledged(process: EngineProcess, name: AttemptName): void;
};

const line: Line = { kind: 'breaker', key: 'broker', fair: false };
/** Who dies so often is kept from others. */
const MOST_DELIVERIES = 4;

/** What calls leave by: a log that loses nothing, but repeats, delays and reorders, and bridges that come and go. It outlives every engine. */
export class Broker {
  readonly #nature: Nature;
  readonly #weather: BridgeWeather;
  readonly #service: Service;
  readonly #watch: BrokerWatch;
  readonly #dice: Dice;
  readonly #bridges: Bridge[] = [];
  readonly #results: Results;
  readonly #rooms = new Map<EngineProcess, RoomListener>();
  #awayUntil = 0;
  #lives = 0;

  constructor(nature: Nature, weather: BridgeWeather, parts: { service: Service; watch: BrokerWatch }) {
    this.#nature = nature;
    this.#weather = weather;
    this.#service = parts.service;
    this.#watch = parts.watch;
    this.#dice = new Dice(nature.seed, 'broker');
    const { mayCrash, acknowledged } = parts.watch;
    this.#results = new Results(nature, { weather, dice: this.#dice, mayCrash, acknowledged });
    for (let slot = 0; slot < weather.bridges; slot++) this.#start();
  }

  dispatchOf(process: EngineProcess): Dispatch {
    const leaves = ({ protocol }: Provider) => this.#weather.protocols.includes(protocol);
    return {
      leaves,
      send: async (provider, call) =>
        leaves(provider) ? this.#publish(process, provider, call) : provider.call(call),
      listen: async (arrivals: Arrivals) => this.#results.listen(process, arrivals),
      abandon: (name) => this.#abandon(process, name),
      onRoom: (listener) => {
        this.#rooms.set(process, listener);
        // Whoever connects calls those who have waited for that, whatever became of the engine that put them there.
        process.deliver(this.#way(), () => this.#callLines());
        return () => this.#rooms.delete(process);
      },
    };
  }

  /** A bridge dies, and another takes its place. */
  killOne(): void {
    const alive = this.#bridges.filter((bridge) => bridge.alive);
    const [first, ...others] = alive;
    if (first !== undefined) this.#kill(this.#dice.pick([first, ...others]));
  }

  goAway(ms: number): void {
    this.#nature.trace('broker', 'away', ms);
    this.#nature.disturb(ms);
    this.#awayUntil = this.#nature.now + ms;
    this.#nature.scheduler.after(ms, () => this.#callLines());
  }

  heal(): void {
    this.#awayUntil = 0;
    this.#callLines();
  }

  async #publish(process: EngineProcess, provider: Provider, call: OutgoingCall): Promise<Sent> {
    if (!process.alive || this.#watch.mayCrash(process, 'publish:before')) return never();
    const { task_id, attempt, timeout_ms, expires_in_ms } = call;
    const bound_ms = Math.min(timeout_ms + this.#weather.wait_ms, expires_in_ms ?? Number.POSITIVE_INFINITY);
    this.#nature.trace(process.name, 'publish', { task_id, attempt });
    const message = messageOf(process, provider, call, this.#nature.now + bound_ms);
    this.#watch.sent(message);
    process.sending.add(task_id);
    try {
      await this.#nature.scheduler.sleep(this.#way());
      if (this.#awayUntil > this.#nature.now) return await this.#refuse(process);
      this.#append(message);
      if (this.#watch.mayCrash(process, 'publish:after')) return await never();
      if (this.#nature.mishap(this.#weather.unheard)) return await this.#refuse(process);
      await process.arrival(this.#way());
      return { word: 'handed_over', bound_ms };
    } finally {
      process.sending.delete(task_id);
    }
  }

  /** It cannot be said whether it left: the task waits, or its attempt has failed. */
  async #refuse(process: EngineProcess): Promise<Sent> {
    await process.arrival(this.#dice.between(1, 200));
    this.#nature.scheduler.after(this.#dice.between(20, 300), () => this.#callLines());
    if (this.#dice.chance(0.5)) return { word: 'wait', line };
    throw new GleitzeitError('GLZ2002', 'the simulated broker cannot be reached');
  }

  #callLines(): void {
    if (this.#awayUntil > this.#nature.now) return;
    for (const [process, room] of this.#rooms) if (process.state === 'running') void room(line, 1000);
  }

  #append(message: Message): void {
    this.#watch.published(message);
    this.#bring(message, this.#delay());
    if (this.#nature.mishap(this.#weather.repeated)) this.#bring(message, this.#delay() + this.#delay());
  }

  #bring(message: Message, ms: number): void {
    this.#nature.scheduler.after(ms, () => {
      const [first, ...others] = this.#bridges.filter((bridge) => bridge.alive);
      if (first === undefined) this.#bring(message, 30);
      else this.#dice.pick([first, ...others]).take(message);
    });
  }

  #start(): void {
    const bridge = new Bridge(`b${++this.#lives}`, {
      nature: this.#nature,
      service: this.#service,
      publish: (message, answer, took_ms, then) => this.#result(bridge, message, { answer, took_ms, then }),
      keep: (message, value) => this.#results.keep(message, value),
      news: (message, news) => this.#news(message, news as ArrivedNews),
      acknowledged: (message) => this.#watch.over(message),
      dies: () => this.#kill(bridge),
    });
    this.#bridges.push(bridge);
  }

  #kill(bridge: Bridge): void {
    this.#nature.trace(bridge.name, 'DIES');
    this.#nature.disturb();
    for (const message of bridge.die()) {
      if (message.deliveries < MOST_DELIVERIES) this.#bring(message, this.#dice.between(50, 600));
      else this.#watch.over(message);
    }
    this.#bridges.splice(this.#bridges.indexOf(bridge), 1);
    this.#nature.scheduler.after(this.#dice.between(1, 800), () => this.#start());
  }

  #result(
    bridge: Bridge,
    message: Message,
    { answer, took_ms, then }: { answer: Answer; took_ms: number; then: () => void },
  ): void {
    this.#nature.scheduler.after(this.#way(), () => {
      this.#results.bring(message, answer, took_ms);
      this.#watch.over(message);
      if (bridge.alive && this.#nature.mishap(this.#weather.dies_after)) this.#kill(bridge);
      else then();
    });
  }

  /** Best effort: it is lost, or comes late, and what can be said twice is. */
  #news(message: Message, news: ArrivedNews): void {
    const { task_id, generation, attempt } = message;
    const told = { ...news, task_id, generation, attempt };
    const tell = () => this.#results.listenerOf(message.engine)?.news(told);
    if (this.#nature.mishap(this.#weather.news_lost)) return;
    message.engine.deliver(this.#way(), tell);
    if (news.kind !== 'progress' && this.#nature.mishap(this.#weather.repeated))
      message.engine.deliver(this.#delay(), tell);
  }

  #abandon(process: EngineProcess, name: AttemptName): void {
    this.#nature.trace(process.name, 'abandons', name);
    this.#watch.abandoned(process, name);
    for (const bridge of this.#bridges) {
      if (this.#nature.mishap(this.#weather.news_lost)) continue;
      bridge.deliver(this.#way(), () => bridge.cancel(correlationId(name)));
    }
  }

  #way(): number {
    return this.#weather.broker_ms * this.#dice.between(0.3, 1.7);
  }

  #delay(): number {
    const late = this.#nature.mishap(this.#weather.late) ? this.#dice.between(0, this.#weather.late_ms) : 0;
    return this.#way() + late;
  }
}
