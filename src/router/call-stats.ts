import { GleitzeitError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import {
  HOUR_MS,
  MINUTE_MS,
  reportStats,
  type StatsQuery,
  type StatsReport,
  statsWindows,
} from '../core/stats/report.ts';
import { type RowName, Rows, readSpans, type StatsSpan } from '../core/stats/rows.ts';
import { type CountedCall, countCall } from '../core/stats/tally.ts';

/** Where what was counted is kept, for all engines of a store and over restarts. Keys in their order. */
export interface StatsDocuments {
  list(page: { limit: number; cursor?: string }): Promise<{
    readonly items: readonly { readonly key: string; readonly text: string }[];
    readonly next_cursor: string | null;
  }>;
  put(key: string, text: string): Promise<unknown>;
  remove(key: string): Promise<unknown>;
}

export type CallStatsParts = {
  /** Who counts: others of the same store have other names. */
  readonly name: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly documents: StatsDocuments;
};

const PAGE = 100;
/** The oldest hour of a day that anybody asks for, and one for clocks that differ. */
const KEPT_MS = (statsWindows.day.steps + 1) * HOUR_MS;
/** Hours that could not be written are remembered up to so many. */
const MOST_HOURS = 3;

type Hour = { readonly minutes: Map<number, Rows>; changed: boolean };

/**
 * What calls came to, minute by minute. Each hour of each engine is one document, written once a minute while there are
 * calls; what others have written is added when somebody asks.
 */
export class CallStats {
  readonly #parts: CallStatsParts;
  readonly #hours = new Map<number, Hour>();
  #cancel: (() => void) | null = null;
  #stopped = false;
  #writing: Promise<void> = Promise.resolve();
  #tidiedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: CallStatsParts) {
    this.#parts = parts;
  }

  count(name: RowName, call: CountedCall): void {
    const minute = startOf(MINUTE_MS, this.#parts.clock.wall());
    const hour = this.#hourOf(minute);
    const rows = hour.minutes.get(minute) ?? new Rows();
    hour.minutes.set(minute, rows);
    hour.changed = true;
    countCall(rows.tallyOf(name), call);
    if (!this.#stopped) this.#writeSoon();
  }

  async report(query: Omit<StatsQuery, 'now'>): Promise<StatsReport> {
    const now = this.#parts.clock.wall();
    const own = [...this.#hours.values()].flatMap(({ minutes }) => spansOf(minutes));
    const known = new Set([...this.#hours.keys()].map((at) => this.#keyOf(at)));
    const others: StatsSpan[] = [];
    for await (const { key, text } of this.#documents())
      if (!known.has(key)) others.push(...readSpans(parse(text)));
    return reportStats([...own, ...others], { ...query, now });
  }

  /** Writes what has changed. Where that fails it is tried again with what comes next. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeAll());
    return this.#writing;
  }

  /** Writes the last of it. Calls that are only ended because everything stops are not written any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancel = null;
    await this.write();
  }

  #writeSoon(): void {
    this.#cancel ??= this.#parts.timers.after(MINUTE_MS, () => {
      this.#cancel = null;
      void this.write();
    });
  }

  #hourOf(minute: number): Hour {
    const at = startOf(HOUR_MS, minute);
    const hour = this.#hours.get(at) ?? { minutes: new Map(), changed: false };
    this.#hours.set(at, hour);
    return hour;
  }

  async #writeAll(): Promise<void> {
    try {
      let wrote = false;
      for (const [at, hour] of this.#hours) wrote = (await this.#writeHour(at, hour)) || wrote;
      if (wrote) await this.#tidy();
    } catch (thrown) {
      const { message } = GleitzeitError.from(thrown);
      this.#parts.logger.warn('what calls came to could not be written; it is tried again', {
        error: message,
      });
      const [oldest] = this.#hours.keys();
      if (this.#hours.size > MOST_HOURS && oldest !== undefined) this.#hours.delete(oldest);
    }
  }

  /** An hour that nobody asks for by the minute any more is written as a whole, and then let go. */
  async #writeHour(at: number, hour: Hour): Promise<boolean> {
    const over = at < startOf(HOUR_MS, this.#parts.clock.wall()) - HOUR_MS;
    if (!over && !hour.changed) return false;
    hour.changed = false;
    const spans = over ? [wholeOf(at, hour.minutes)] : spansOf(hour.minutes);
    try {
      await this.#parts.documents.put(this.#keyOf(at), JSON.stringify({ spans }));
    } catch (thrown) {
      hour.changed = true;
      throw thrown;
    }
    if (over) this.#hours.delete(at);
    return true;
  }

  /** Once an hour: what nobody asks for any more is removed, whoever wrote it. */
  async #tidy(): Promise<void> {
    const now = this.#parts.clock.wall();
    if (now - this.#tidiedAt < HOUR_MS) return;
    this.#tidiedAt = now;
    const oldest = hourText(now - KEPT_MS);
    for await (const { key } of this.#documents()) {
      if (key >= oldest) return;
      await this.#parts.documents.remove(key);
    }
  }

  async *#documents() {
    let cursor: string | null | undefined;
    do {
      const page = await this.#parts.documents.list(cursor ? { limit: PAGE, cursor } : { limit: PAGE });
      yield* page.items;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  #keyOf(at: number): string {
    return `${hourText(at)} ${this.#parts.name}`;
  }
}

function spansOf(minutes: ReadonlyMap<number, Rows>): StatsSpan[] {
  return [...minutes].map(([at, rows]) => ({ at, rows: rows.all }));
}

function wholeOf(at: number, minutes: ReadonlyMap<number, Rows>): StatsSpan {
  const whole = new Rows();
  for (const rows of minutes.values()) whole.add(rows.all);
  return { at, rows: whole.all };
}

function startOf(step_ms: number, time: number): number {
  return Math.floor(time / step_ms) * step_ms;
}

/** `2026-01-05T09`: in the order of time. */
function hourText(time: number): string {
  return new Date(time).toISOString().slice(0, 13);
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
