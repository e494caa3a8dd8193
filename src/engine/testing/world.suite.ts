import type { Logger } from '../../core/ports/logger.ts';
import type { Random } from '../../core/ports/random.ts';
import type { TaskRow } from '../../core/records.ts';
import type { AcceptedRun } from '../../core/writes.ts';
import { localDispatch } from '../../router/local-dispatch.ts';
import { createRouter } from '../../router/router.ts';
import { createCipher } from '../../store/cipher.ts';
import { hashText } from '../../store/hash.ts';
import { SimulatedData } from '../../store/simulated/data.ts';
import type { SimulatedFaults } from '../../store/simulated/faults.ts';
import { openSimulatedStore, type SimulatedStore } from '../../store/simulated/store.ts';
import { defaultOptions, Engine, type EngineOptions, type EngineParts } from '../engine.ts';
import type { Outcome } from '../outcomes.ts';
import { TestProvider } from './provider.suite.ts';
import { testSchemas } from './schemas.suite.ts';
import { VirtualTime } from './virtual-time.suite.ts';

export type LogLine = { readonly level: string; readonly message: string; readonly fields: object };

export type Site = {
  readonly engine: Engine;
  readonly store: SimulatedStore;
  readonly provider: TestProvider;
  /** Mutable on purpose: a test switches trouble on and off. */
  readonly faults: Mutable<SimulatedFaults>;
  readonly log: LogLine[];
};

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

type SiteOptions = {
  readonly options?: Partial<EngineOptions>;
  readonly faults?: SimulatedFaults;
  readonly parts?: Partial<EngineParts>;
  readonly provider?: TestProvider;
  /** Carries hints of other engines; now, unless the test has other plans. */
  readonly deliver?: (call: () => void) => void;
};

export const cipher = createCipher(() => [Buffer.alloc(32, 7)]);

/** One store, virtual time, and as many engines on it as the test opens. */
export class World {
  readonly time = new VirtualTime();
  readonly data = new SimulatedData();
  readonly exclusive: boolean;
  #seed = 1;

  constructor(exclusive = true) {
    this.exclusive = exclusive;
  }

  site(given: SiteOptions = {}): Site {
    const { time, data, exclusive } = this;
    const faults: Mutable<SimulatedFaults> = { ...given.faults };
    const deliver = given.deliver === undefined ? {} : { deliver: given.deliver };
    const store = openSimulatedStore({ data, clock: time.storeClock, exclusive, faults, ...deliver });
    const provider = given.provider ?? new TestProvider();
    const log: LogLine[] = [];
    const engine = new Engine({
      store,
      schemas: testSchemas,
      router: createRouter([provider]),
      dispatch: localDispatch,
      cipher,
      clock: time,
      timers: time,
      random: seededRandom(this.#seed++),
      logger: keepingLogger(log),
      hash: hashText,
      ...given.parts,
      options: { ...defaultOptions, concurrency: 4, ...given.options },
    });
    return { engine, store, provider, faults, log };
  }

  /** A site whose engine has started. */
  async started(given: SiteOptions = {}): Promise<Site> {
    const site = this.site(given);
    await this.time.until(site.engine.start());
    return site;
  }

  /** Submits one task and answers its id. */
  async submit({ engine }: Pick<Site, 'engine'>, task: object = {}): Promise<string> {
    const accepted = await this.time.until(engine.submit({ ...echo, ...task }));
    return accepted.tasks[0]?.[1] ?? '';
  }

  /** How a task ends; time passes until it does. */
  async outcome({ engine }: Pick<Site, 'engine'>, task_id: string): Promise<Outcome> {
    const outcome = await this.time.until(engine.result(task_id, 3600_000));
    if (outcome === null) throw new Error(`there is no task ${task_id}`);
    return outcome;
  }

  row(task_id: string): TaskRow {
    const row = this.data.tasks.get(task_id);
    if (row === undefined) throw new Error(`there is no task ${task_id}`);
    return row;
  }

  /** Names of the events of a task, in order. */
  eventsOf(task_id: string): string[] {
    return this.data.events.page({ after: 0, limit: 100_000, task_id }).events.map(({ event }) => event);
  }

  /** Everything that was ever stored, as one text to search. */
  everything(): string {
    const { tasks, bodies, runs, inputs, results, keys, documents, journal } = this.data;
    const tables = [tasks, bodies, runs, inputs, results, keys, documents].map((table) => [
      ...table.values(),
    ]);
    const { events } = this.data.events.page({ after: 0, limit: 1_000_000 });
    return JSON.stringify([tables, events, journal]);
  }
}

export const echo = { protocol: 'test/v1', method: 'echo' };

/** A retry at once, so that tests about something else need not wait. */
export const once = { retry_config: { max_attempts: 1 } };

/** A task of a workflow that is tried once. */
export const step = (id: string, params: object = {}, more: object = {}) => ({
  id,
  ...echo,
  ...once,
  params,
  ...more,
});

export function seededRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)) };
}

export function keepingLogger(log: LogLine[]): Logger {
  const at =
    (level: string) =>
    (message: string, fields: object = {}) => {
      log.push({ level, message, fields });
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** The `task_id` of a task by its short id. */
export function idIn(tasks: AcceptedRun['tasks'], id: string): string {
  return tasks.find(([short]) => short === id)?.[1] ?? '';
}
