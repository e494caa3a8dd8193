import type { Answer } from '../../../src/core/answer.ts';
import type { AttemptName } from '../../../src/core/attempt-name.ts';
import type { Arrivals, ArrivedAnswer } from '../../../src/core/ports/dispatch.ts';
import type { BridgeWeather } from './bridge-weather.ts';
import type { Dice } from './dice.ts';
import type { Message } from './message.ts';
import type { Nature } from './nature.ts';
import type { EngineProcess } from './process.ts';

type Tell = (arrivals: Arrivals, process: EngineProcess) => Promise<void>;

type ResultsParts = {
  readonly weather: BridgeWeather;
  readonly dice: Dice;
  readonly mayCrash: (process: EngineProcess, point: string) => boolean;
  /** An engine says that it has this answer for good. */
  readonly acknowledged: (process: EngineProcess, name: AttemptName) => void;
};

/** The topic of results: each comes to one of the engines that listen, again and again until one of them has it for good. */
export class Results {
  readonly #nature: Nature;
  readonly #parts: ResultsParts;
  readonly #listening = new Map<
    EngineProcess,
    { readonly arrivals: Arrivals; readonly under: Set<Promise<void>> }
  >();

  constructor(nature: Nature, parts: ResultsParts) {
    this.#nature = nature;
    this.#parts = parts;
  }

  listen(process: EngineProcess, arrivals: Arrivals): () => Promise<void> {
    const under = new Set<Promise<void>>();
    this.#listening.set(process, { arrivals, under });
    process.whenGone(() => this.#listening.delete(process));
    return async () => {
      this.#listening.delete(process);
      await Promise.allSettled(under);
    };
  }

  listenerOf(process: EngineProcess): Arrivals | undefined {
    return this.#listening.get(process)?.arrivals;
  }

  bring(message: Message, answer: Answer, took_ms: number): void {
    const { task_id, generation, attempt, provider, protocol, method, secrets } = message;
    const { dice, weather } = this.#parts;
    const called = dice.chance(0.7) ? { protocol, method, secrets } : undefined;
    const arrived: ArrivedAnswer = {
      ...{ task_id, generation, attempt, answer, called },
      provider: dice.chance(0.9) ? provider : null,
      took_ms: dice.chance(0.9) ? took_ms : undefined,
    };
    const tell: Tell = (arrivals, process) =>
      arrivals.ended(arrived).then(() => this.#parts.acknowledged(process, arrived));
    this.#bring(tell, this.#delay());
    if (this.#nature.mishap(weather.repeated)) this.#bring(tell, this.#delay() + this.#delay());
  }

  keep({ task_id, generation, attempt, provider }: Message, kept: string): void {
    this.#bring((arrivals) => arrivals.kept({ task_id, generation, attempt, provider, kept }), this.#delay());
  }

  #bring(tell: Tell, ms: number): void {
    this.#nature.scheduler.after(ms, () => {
      const [first, ...others] = [...this.#listening.keys()].filter(({ alive }) => alive);
      if (first === undefined) this.#bring(tell, 30);
      else this.#bringTo(this.#parts.dice.pick([first, ...others]), tell);
    });
  }

  #bringTo(process: EngineProcess, tell: Tell): void {
    let over = false;
    const again = () => {
      if (!over) this.#bring(tell, this.#parts.dice.between(1, 100));
      over = true;
    };
    process.whenGone(again);
    process.deliver(0, () => {
      const listening = this.#listening.get(process);
      if (listening === undefined) return again();
      if (over || this.#parts.mayCrash(process, 'arrival')) return;
      const told = tell(listening.arrivals, process).then(() => {
        over = true;
      }, again);
      listening.under.add(told);
      void told.then(() => listening.under.delete(told));
    });
  }

  #delay(): number {
    const { weather, dice } = this.#parts;
    const late = this.#nature.mishap(weather.late) ? dice.between(0, weather.late_ms) : 0;
    return weather.broker_ms * dice.between(0.3, 1.7) + late;
  }
}
