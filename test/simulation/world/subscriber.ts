import type { Event, EventName } from '../../../src/core/events.ts';
import { Dice } from './dice.ts';
import type { Fleet } from './fleet.ts';
import type { Nature } from './nature.ts';
import type { EngineProcess } from './process.ts';

/** Follows the feed over crashes and reconnects, remembering nothing but the last cursor it saw. */
export class Subscriber {
  readonly #nature: Nature;
  readonly #fleet: Fleet;
  readonly #dice: Dice;
  readonly names: readonly EventName[] | null;
  readonly seen: Event[] = [];
  cursor = 0;
  /** Since when it has been following an engine; null between two of them. */
  since: number | null = null;
  #over = false;

  constructor(nature: Nature, fleet: Fleet, names: readonly EventName[] | null) {
    this.#nature = nature;
    this.#fleet = fleet;
    this.names = names;
    this.#dice = new Dice(nature.seed, `subscriber ${names?.join()}`);
  }

  stop(): void {
    this.#over = true;
  }

  async follow(): Promise<void> {
    while (!this.#over) {
      const process = await this.#fleet.any(this.#dice);
      await this.#followOne(process);
      await this.#nature.scheduler.sleep(this.#dice.between(0, 100));
    }
  }

  async #followOne(process: EngineProcess): Promise<void> {
    const leave = new AbortController();
    this.#nature.trace('feed', `follows ${process.name} from ${this.cursor}`);
    const connected = { now: true };
    this.since = this.#nature.now;
    const gone = new Promise<void>((resolve) => process.whenGone(resolve));
    if (!this.#nature.calm && this.#dice.chance(0.5)) {
      process.deliver(this.#dice.between(10, 4000), () => leave.abort());
    }
    const over = this.#read(process, leave.signal, connected).catch((thrown: unknown) => {
      this.#nature.trace('feed', 'broke', String(thrown));
    });
    leave.signal.addEventListener('abort', () => {
      this.since = null;
    });
    await Promise.race([over, gone]);
    connected.now = false;
    this.since = null;
    leave.abort();
  }

  async #read(process: EngineProcess, signal: AbortSignal, connected: { now: boolean }): Promise<void> {
    const filter = this.names === null ? {} : { events: this.names };
    const events = process.engine?.events({ cursor: this.cursor, signal, ...filter }) ?? [];
    for await (const event of events) {
      if (!connected.now) return;
      this.#take(event);
    }
  }

  #take(event: Event): void {
    const last = this.cursor;
    if (event.cursor <= last) {
      this.#nature.fail('feed in order, once', `event ${event.cursor} came after ${last}`);
    } else if (this.names === null && this.#nature.weather.keep_ms > 1e9 && event.cursor !== last + 1) {
      this.#nature.fail('feed without gaps', `event ${event.cursor} came after ${last}`);
    }
    this.cursor = event.cursor;
    this.seen.push(event);
  }
}
