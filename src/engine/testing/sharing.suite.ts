import type { Answer } from '../../core/answer.ts';
import type { StoreReads } from '../../core/ports/store.ts';
import type { WriteOf } from '../../core/writes.ts';
import { Pools } from '../../router/pools.ts';
import { Quotas } from '../../router/quotas.ts';
import {
  defaultPool,
  defaultProvider,
  type PoolSettings,
  type ProviderSettings,
} from '../../router/settings.ts';
import type { WatchedState } from '../../router/shared-state.ts';
import type { Engine } from '../engine.ts';
import { done, TestProvider } from './provider.suite.ts';
import type { Site, World } from './world.suite.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

export type Sharing = { readonly site: Site; readonly pools: Pools; readonly provider: TestProvider };

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
  readonly pool?: Partial<PoolSettings>;
  readonly concurrency?: number;
  readonly running?: Running;
  /** Whether what others have written goes unheard. */
  readonly isDeaf?: () => boolean;
};

/** An engine whose limits are shared with the other engines of its world. */
export async function sharing(world: World, given: SharingOptions = {}): Promise<Sharing> {
  const { ms = 100, settings, pool, concurrency = 10, running = new Running() } = given;
  const provider = new TestProvider();
  provider.reply = ({ params }) => {
    const keys = ['all', `user ${params['user']}`];
    for (const key of keys) running.begin(key);
    const { promise, resolve } = Promise.withResolvers<Answer>();
    world.time.after(typeof ms === 'number' ? ms : ms(), () => {
      for (const key of keys) running.end(key);
      resolve(done());
    });
    return promise;
  };
  const { time } = world;
  const works: { site?: Site } = {};
  const reads = () => works.site?.store.reads as StoreReads;
  const quotas = new Quotas({
    state: stateOf(reads, () => works.site?.engine as Engine),
    engines: () => reads().engines(),
    clock: time,
    timers: time,
    logger,
    exclusive: world.exclusive,
  });
  const pools = new Pools({ clock: time, timers: time, logger, draw: () => 0.5, quotas });
  pools.connect(provider, { settings: { ...defaultProvider, ...settings } });
  pools.configure('test/v1', { ...defaultPool, ...pool });
  const site = world.site({ provider, parts: { router: pools }, options: { concurrency } });
  works.site = site;
  site.store.onChange((hint) => hint.documents && given.isDeaf?.() !== true && quotas.changed());
  await time.until(site.engine.start());
  return { site, pools, provider };
}

export function stateOf(
  reads: () => Pick<StoreReads, 'document' | 'documents'>,
  engine: () => {
    putDocument(document: Omit<WriteOf<'put_document'>, 'kind'>): Promise<{ version: number }>;
  },
): WatchedState {
  const collection = 'quotas';
  return {
    read: (key) => reads().document(collection, key),
    write: (key, text, expect) => engine().putDocument({ collection, key, text, expect }),
    versions: async () => {
      const { items } = await reads().documents(collection, { limit: 1000 });
      return items.map(({ key, version }) => ({ name: key, version }));
    },
  };
}
