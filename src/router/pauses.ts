import { GleitzeitError } from '../core/errors.ts';
import { isObject, own } from '../core/json.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { SharedState } from './shared-state.ts';

/** Until when services have asked to be left alone, by the id of their provider. Times are those of the monotonic clock. */
export interface Pauses {
  until(id: string): number;
  asked(id: string, ms: number): void;
  /** It may be asked again, whatever it said. */
  ended(id: string): void;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** Forgotten with the process. */
export class OwnPauses implements Pauses {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #until = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  until(id: string): number {
    return this.#until.get(id) ?? NEVER;
  }

  asked(id: string, ms: number): void {
    this.#until.set(id, Math.max(this.until(id), this.#clock.monotonic() + ms));
  }

  ended(id: string): void {
    this.#until.delete(id);
  }
}

export type SharedPausesParts = {
  readonly state: SharedState;
  readonly clock: Clock;
  readonly logger: Logger;
};

const NAME = 'paused';
/** Who asks for less is back before others have read of it. */
const WORTH_TELLING_MS = 1000;
const MOST_TRIES = 20;

/** By wall clock, which others and later lives know too. `ms`: what was asked for, the most that a clock that was set can make of it. */
type Told = { readonly until: number; readonly ms: number };
type Known = { readonly told: ReadonlyMap<string, Told>; readonly version: number };

/** Kept in the store: one engine hears it for all, and a restart is no reason to ask a service that wants to be left alone. */
export class SharedPauses implements Pauses {
  readonly #parts: SharedPausesParts;
  readonly #own: OwnPauses;
  #shared = new Map<string, number>();
  #known: Known = { told: new Map(), version: -1 };
  /** What is to be written: null for one that is over. */
  readonly #news = new Map<string, Told | null>();
  #writing: Promise<void> | null = null;
  #listener: () => void = () => {};

  constructor(parts: SharedPausesParts) {
    this.#parts = parts;
    this.#own = new OwnPauses(parts.clock);
  }

  /** Somebody else has told something: there may be room, or less of it. */
  onNews(listener: () => void): void {
    this.#listener = listener;
  }

  until(id: string): number {
    return Math.max(this.#own.until(id), this.#shared.get(id) ?? NEVER);
  }

  asked(id: string, ms: number): void {
    this.#own.asked(id, ms);
    const until = this.#parts.clock.wall() + ms;
    const before = this.#news.get(id) ?? this.#known.told.get(id);
    if (ms < WORTH_TELLING_MS || (before?.until ?? 0) + WORTH_TELLING_MS > until) return;
    this.#tell(id, { until, ms });
  }

  ended(id: string): void {
    this.#own.ended(id);
    this.#shared.delete(id);
    if (this.#known.told.has(id) || this.#news.has(id)) this.#tell(id, null);
  }

  async look(): Promise<void> {
    try {
      this.#learn(await this.#read());
    } catch (thrown) {
      this.#warn('which services asked to be left alone could not be read', thrown);
    }
  }

  /** Resolves when what is known here is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #tell(id: string, told: Told | null): void {
    this.#news.set(id, told);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  async #write(): Promise<void> {
    for (let tries = 1; this.#news.size > 0; tries++) {
      try {
        const before = await this.#read();
        const news = [...this.#news];
        const told = this.#merged(before.told, news);
        const { version } = await this.#parts.state.write(NAME, textOf(told), before.version);
        for (const [id, one] of news) if (this.#news.get(id) === one) this.#news.delete(id);
        this.#learn({ told, version });
      } catch (thrown) {
        if (GleitzeitError.from(thrown).code === 'GLZ1013' && tries < MOST_TRIES) continue;
        this.#news.clear();
        this.#warn('that a service asked to be left alone could not be written down', thrown);
      }
    }
  }

  #merged(before: Known['told'], news: Iterable<[string, Told | null]>): Map<string, Told> {
    const now = this.#parts.clock.wall();
    const told = new Map([...before].filter(([, { until }]) => until > now));
    for (const [id, one] of news) {
      if (one === null) told.delete(id);
      else if ((told.get(id)?.until ?? 0) < one.until) told.set(id, one);
    }
    return told;
  }

  #learn(known: Known): void {
    if (known.version <= this.#known.version) return;
    const { clock } = this.#parts;
    const [wall, now] = [clock.wall(), clock.monotonic()];
    this.#known = known;
    this.#shared = new Map(
      [...known.told].map(([id, { until, ms }]) => [id, now + Math.min(until - wall, ms)]),
    );
    this.#listener();
  }

  async #read(): Promise<Known> {
    const found = await this.#parts.state.read(NAME);
    if (found === null) return { told: new Map(), version: 0 };
    const written: unknown = JSON.parse(found.text);
    const entries = isObject(written) ? Object.entries(written) : [];
    return { told: new Map(entries.flatMap(toldIn)), version: found.version };
  }

  #warn(message: string, thrown: unknown): void {
    this.#parts.logger.warn(message, { error: GleitzeitError.from(thrown).message });
  }
}

/** `{"search-1": {"until": 1790000000000, "ms": 60000}}` */
function textOf(told: ReadonlyMap<string, Told>): string {
  return JSON.stringify(Object.fromEntries(told));
}

function toldIn([id, value]: [string, unknown]): [string, Told][] {
  if (!isObject(value)) return [];
  const [until, ms] = [own(value, 'until'), own(value, 'ms')];
  return typeof until === 'number' && typeof ms === 'number' ? [[id, { until, ms }]] : [];
}
