import { describe, expect, it } from 'vitest';
import { Pools } from '../router/pools.ts';
import { defaultPool, defaultProvider, type Limits } from '../router/settings.ts';
import { done, TestProvider } from './testing/provider.suite.ts';
import { once, type Site, World } from './testing/world.suite.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const none: Limits = { concurrency: null, rate: null };
const WORK_MS = 20;
const COMMIT_MS = 4;
/** More than a key can get done while it is watched. */
const TASKS = 70;

type Shared = {
  readonly keys: number;
  readonly ofPool?: Limits;
  readonly ofProvider?: Limits;
  readonly slots?: number;
};
type Crowd = { readonly world: World; readonly keys: number; readonly started: () => Promise<Watched> };
type Watched = { readonly site: Site; readonly calls: () => number[]; readonly served: () => Promise<void> };

/** Engines on one store, one after another; each key has one call at a time. */
function crowd({ keys, ofPool = none, ofProvider = none, slots = 256 }: Shared): Crowd {
  const world = new World();
  const started = async () => {
    const provider = new TestProvider();
    provider.reply = () => new Promise((resolve) => world.time.after(WORK_MS, () => resolve(done())));
    const pools = new Pools({ clock: world.time, timers: world.time, logger, draw: () => 0.5 });
    pools.connect(provider, { settings: { ...defaultProvider, limits: ofProvider } });
    const per_key = { key: 'params.user', concurrency: 1, rate: null };
    pools.configure('test/v1', { ...defaultPool, limits: ofPool, per_key });
    const site = await world.started({ provider, parts: { router: pools }, options: { concurrency: slots } });
    site.faults.beforeCommit = () => new Promise((resolve) => void world.time.after(COMMIT_MS, resolve));
    const calls = () => {
      const counts = Array.from({ length: keys }, () => 0);
      for (const { params } of provider.calls.splice(0)) {
        const user = Number(params['user']);
        counts[user] = (counts[user] ?? 0) + 1;
      }
      return counts;
    };
    /** Every key has had a call. */
    const served = async () => {
      const seen = new Set<number>();
      while (seen.size < keys) {
        await world.time.advance(100);
        for (const [user, count] of calls().entries()) if (count > 0) seen.add(user);
      }
    };
    return { site, calls, served };
  };
  return { world, keys, started };
}

/** An engine that has been given the tasks of one key after another. */
async function crowded({ world, keys, started }: Crowd): Promise<Watched> {
  const watched = await started();
  const tasks = Array.from({ length: keys * TASKS }, (_, index) => ({
    task: { protocol: 'test/v1', method: 'echo', ...once, params: { user: Math.floor(index / TASKS) } },
  }));
  await world.time.until(watched.site.engine.submitMany(tasks));
  await watched.served();
  return watched;
}

const shared: [string, Omit<Shared, 'keys'>][] = [
  ['places of the protocol', { ofPool: { concurrency: 10, rate: null } }],
  ['places of the provider', { ofProvider: { concurrency: 10, rate: null } }],
  ['a rate of the protocol', { ofPool: { concurrency: null, rate: { per_ms: 0.5, burst: 100 } } }],
  ['a rate of the provider', { ofProvider: { concurrency: null, rate: { per_ms: 0.5, burst: 100 } } }],
];

describe('keys that wait for the same', () => {
  it.each(shared)('get equal shares of %s, whatever else each of them waits for', async (_, limits) => {
    const all = crowd({ keys: 40, ...limits });
    const { calls } = await crowded(all);
    await all.world.time.advance(1500);
    const counts = calls();
    expect(Math.min(...counts) / Math.max(...counts)).toBeGreaterThan(0.7);
    // Nothing lies idle meanwhile.
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(570);
  });

  it.each([...shared, ['slots of the engine', { slots: 10 }] as const])(
    'get them of %s also from an engine that finds their lines in the store',
    async (_, limits) => {
      for (const end of ['stop', 'crash'] as const) {
        const all = crowd({ keys: 40, ...limits });
        const { site } = await crowded(all);
        if (end === 'stop') await all.world.time.until(site.engine.stop());
        site.store.crash();
        const { calls, served } = await all.started();
        await served();
        await all.world.time.advance(1200);
        const counts = calls();
        expect(Math.min(...counts) / Math.max(...counts), end).toBeGreaterThan(0.7);
        expect(
          counts.reduce((sum, count) => sum + count, 0),
          end,
        ).toBeGreaterThan(450);
      }
    },
  );

  it('are called as long as anybody waits, however many were found at once', async () => {
    const all = crowd({ keys: 140, ofPool: { concurrency: 10, rate: null } });
    const { site } = await crowded(all);
    site.store.crash();
    const { calls } = await all.started();
    for (let second = 0; second < 12; second++) {
      await all.world.time.advance(1000);
      expect(
        calls().reduce((sum, count) => sum + count, 0),
        `second ${second}`,
      ).toBeGreaterThan(390);
    }
  });

  it('get them also where there are hardly more keys than places, and it matters how soon one is back', async () => {
    const all = crowd({ keys: 15, ofPool: { concurrency: 10, rate: null } });
    const { calls } = await crowded(all);
    await all.world.time.advance(1500);
    const counts = calls();
    expect(Math.min(...counts) / Math.max(...counts)).toBeGreaterThan(0.6);
  });
});
