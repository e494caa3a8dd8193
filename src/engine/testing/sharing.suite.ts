import type { Answer } from '../../core/answer.ts';
import type { StoreReads } from '../../core/ports/store.ts';
import type { WriteOf } from '../../core/writes.ts';
import { type PoolParts, Pools } from '../../router/pools.ts';
import { Quotas } from '../../router/quotas.ts';
import {
  defaultPool,
  defaultProvider,
  type PoolSettings,
  type ProviderSettings,
} from '../../router/settings.ts';
import type { WatchedState } from '../../router/shared-state.ts';
import { SharedTokens } from '../../router/shared-tokens.ts';
import { StoreTime } from '../../router/store-time.ts';
import type { Engine } from '../engine.ts';
import { done, TestProvider } from './provider.suite.ts';
import { once, type Site, type World } from './world.suite.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

export type Sharing = {
  readonly site: Site;
  readonly pools: Pools;
  readonly provider: TestProvider;
  /** Further providers, as they were given. */
  readonly others: readonly TestProvider[];
};

/** Calls that run, over all engines, by whatever they are counted by. */
export class Running {
  readonly now = new Map<string, number>();
  readonly most = new Map<string, number>();

  begin(key: string): void {
    const count = (this.now.get(key) ?? 0) + 1;
    this.now.set(key, count);
    this.most.set(key, Math.max(this.most.get(key) ?? 0, count));
  }

  end(key: string): void {
    this.now.set(key, (this.now.get(key) ?? 0) - 1);
  }
}

export type SharingOptions = {
  readonly ms?: number | (() => number);
  readonly settings?: Partial<ProviderSettings>;
  /** Further providers of the protocol, by their ids. */
  readonly others?: Readonly<Record<string, Partial<ProviderSettings>>>;
  readonly pool?: Partial<PoolSettings>;
  /** How far the clock of its machine is ahead of the store's. */
  readonly ahead_ms?: number;
  readonly concurrency?: number;
  readonly running?: Running;
  /** Whether what others have written goes unheard. */
  readonly isDeaf?: () => boolean;
};

/** An engine whose limits are shared with the other engines of its world. */
export async function sharing(world: World, given: SharingOptions = {}): Promise<Sharing> {
  const { ms = 100, settings, pool, concurrency = 10, running = new Running(), ahead_ms = 0 } = given;
  const { time } = world;
  const reply: TestProvider['reply'] = ({ params }) => {
    const keys = ['all', `user ${params['user']}`];
    for (const key of keys) running.begin(key);
    const { promise, resolve } = Promise.withResolvers<Answer>();
    world.time.after(typeof ms === 'number' ? ms : ms(), () => {
      for (const key of keys) running.end(key);
      resolve(done());
    });
    return promise;
  };
  const connected = ([id, more]: [string, Partial<ProviderSettings>]) => {
    const one = new TestProvider(id);
    one.reply = reply;
    pools.connect(one, { settings: { ...defaultProvider, ...more } });
    return one;
  };
  const works: { site?: Site } = {};
  const reads = () => works.site?.store.reads as StoreReads;
  const storeTime = new StoreTime({
    wall: () => time.wall() + ahead_ms,
    monotonic: () => time.monotonic(),
  });
  const timed = { clock: storeTime, timers: time, logger };
  const engine = () => works.site?.engine as Engine;
  const quotas = new Quotas({
    ...timed,
    state: stateOf(reads, engine),
    engines: () => reads().engines(),
    exclusive: world.exclusive,
  });
  const state = stateOf(reads, engine, 'limits');
  const tokens: PoolParts['tokens'] = (name, limit, more) =>
    new SharedTokens(name, limit, { ...timed, state, more });
  const parts = { clock: time, timers: time, logger, draw: () => 0.5 };
  const pools = new Pools({ ...parts, quotas, tokens, storeTime });
  const provider = connected(['provider-1', { ...settings }]);
  const others = Object.entries(given.others ?? {}).map(connected);
  pools.configure('test/v1', { ...defaultPool, ...pool });
  const site = world.site({ provider, parts: { router: pools }, options: { concurrency } });
  works.site = site;
  site.store.onChange((hint) => hint.documents && given.isDeaf?.() !== true && quotas.changed());
  await time.until(site.engine.start());
  return { site, pools, provider, others };
}

export function stateOf(
  reads: () => Pick<StoreReads, 'document' | 'documents'>,
  engine: () => {
    putDocument(document: Omit<WriteOf<'put_document'>, 'kind'>): Promise<{ version: number }>;
  },
  collection = 'quotas',
): WatchedState {
  return {
    read: (key) => reads().document(collection, key),
    write: (key, text, expect) => engine().putDocument({ collection, key, text, expect }),
    versions: async () => {
      const { items } = await reads().documents(collection, { limit: 1000 });
      return items.map(({ key, version }) => ({ name: key, version }));
    },
  };
}

/** Answers the ids. `user`: whose the task of that number is. */
export async function submit(
  world: World,
  { site }: Sharing,
  count: number,
  user: (index: number) => number = () => 0,
) {
  const tasks = Array.from({ length: count }, (_, index) => ({
    task: { protocol: 'test/v1', method: 'echo', ...once, params: { user: user(index) } },
  }));
  const accepted = await world.time.until(site.engine.submitMany(tasks));
  return accepted.map(({ tasks: [task] }) => task?.[1] ?? '');
}

/** Whatever they ask the store for takes a while. */
export function slowDown({ time }: World, engines: readonly Sharing[], ms: () => number): void {
  const slowly = () => new Promise<void>((resolve) => void time.after(ms(), resolve));
  for (const { site } of engines)
    Object.assign(site.faults, { beforeCommit: slowly, afterCommit: slowly, beforeRead: slowly });
}

/** Those that have not come to their end. */
export const open = (world: World, ids: readonly string[]) =>
  ids.filter((id) => world.row(id).settled_at === null).length;

/** How often documents were written. */
export const sheetWrites = (world: World) =>
  world.data.journal.flatMap(({ writes }) => writes).filter(({ kind }) => kind === 'put_document').length;
