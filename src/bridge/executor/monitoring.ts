import { GleitzeitError } from '../../core/errors.ts';
import { isObject, own } from '../../core/json.ts';
import type { StoreReads } from '../../core/ports/store.ts';
import type { SharedState } from '../../router/shared-state.ts';
import { writeMonitoringUpdate } from '../messages/monitoring.ts';
import { monitoringTopic } from '../topics.ts';
import { Monitored, monitoredEvents } from './monitored.ts';
import type { ExecutorParts } from './parts.ts';
import { Patience } from './patience.ts';

export type MonitoringParts = ExecutorParts & {
  readonly reads: Pick<StoreReads, 'events' | 'cursor' | 'task'>;
  /** Where it is kept how far everybody has been told. */
  readonly state: SharedState;
};

const NAME = 'monitoring';
const PAGE = 500;
/** How often the feed is looked at. */
const LOOK_MS = 250;
/** Whoever tells says so this often; after so long a silence somebody else does. */
const BEAT_MS = 5000;
const SILENCE_MS = 20_000;

/** How far everybody has been told, and by whom. */
type Place = { readonly cursor: number; readonly owner: string; readonly version: number };

/**
 * Tells those who look on what becomes of the steps of runs: of all engines one does, and what it has told is kept in the
 * store, so that nothing is left out, whoever dies. What was told and not kept is told again.
 */
export class Monitoring {
  readonly #parts: MonitoringParts;
  readonly #monitored: Monitored;
  readonly #patience: Patience;
  #seen: { readonly version: number; readonly at: number } | null = null;

  constructor(parts: MonitoringParts) {
    this.#parts = parts;
    this.#monitored = new Monitored(parts.reads);
    this.#patience = new Patience(parts, 'nobody could be told what becomes of steps; it is tried again');
  }

  start(): void {
    const { broker, options } = this.#parts;
    this.#patience.until(async () => {
      await broker.ensure([monitoringTopic(options.topics, options.partitions)]);
      while (!this.#patience.ended) {
        const place = await this.#ours();
        if (place === null) await this.#patience.pause(BEAT_MS);
        else await this.#tell(place);
      }
    });
  }

  stop(): Promise<void> {
    return this.#patience.end();
  }

  /** Tells from there on, until somebody else does. */
  async #tell(from: Place): Promise<void> {
    const { clock, reads } = this.#parts;
    let [place, after, kept_at] = [from, from.cursor, clock.monotonic()];
    while (!this.#patience.ended) {
      const page = await reads.events({ after, limit: PAGE, events: monitoredEvents });
      const count = await this.#publish(page.events);
      after = page.cursor;
      if (count > 0 || clock.monotonic() - kept_at >= BEAT_MS) {
        const next = await this.#keep(place, after);
        if (next === null) return;
        [place, kept_at] = [next, clock.monotonic()];
      }
      if (!page.more) await this.#patience.pause(LOOK_MS);
    }
  }

  async #publish(events: Parameters<Monitored['updatesOf']>[0]): Promise<number> {
    const { broker, observer, options } = this.#parts;
    const updates = await this.#monitored.updatesOf(events);
    if (updates.length === 0) return 0;
    await broker.publish(options.topics.monitoring, updates.map(writeMonitoringUpdate));
    observer.monitored(updates.length);
    return updates.length;
  }

  /** Where to go on where it is ours to tell; null where somebody else does. */
  async #ours(): Promise<Place | null> {
    const { name, clock, reads } = this.#parts;
    const place = await this.#read();
    if (place === null) return this.#keep({ cursor: 0, owner: name, version: 0 }, await reads.cursor());
    if (place.owner === name) return place;
    const now = clock.monotonic();
    if (this.#seen?.version !== place.version) this.#seen = { version: place.version, at: now };
    return now - this.#seen.at < SILENCE_MS ? null : this.#keep(place, place.cursor);
  }

  async #read(): Promise<Place | null> {
    const found = await this.#parts.state.read(NAME);
    if (found === null) return null;
    const told: unknown = JSON.parse(found.text);
    const [cursor, owner] = isObject(told) ? [own(told, 'cursor'), own(told, 'owner')] : [];
    const { version } = found;
    return { cursor: typeof cursor === 'number' ? cursor : 0, owner: String(owner ?? ''), version };
  }

  /** Null where somebody else was quicker. */
  async #keep({ version }: Place, cursor: number): Promise<Place | null> {
    const { name, state } = this.#parts;
    try {
      const written = await state.write(NAME, JSON.stringify({ cursor, owner: name }), version);
      return { cursor, owner: name, version: written.version };
    } catch (thrown) {
      if (GleitzeitError.from(thrown).code === 'GLZ1013') return null;
      throw thrown;
    }
  }
}
