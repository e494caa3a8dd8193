import { describe, expect, it } from 'vitest';
import { Pools } from '../router/pools.ts';
import { defaultPool, defaultProvider, type Limits } from '../router/settings.ts';
import { done, TestProvider } from './testing/provider.suite.ts';
import { once, World } from './testing/world.suite.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const none: Limits = { concurrency: null, rate: null };
const WORK_MS = 20;
const COMMIT_MS = 4;
/** More than a key can get done while it is watched. */
const TASKS = 70;

type Shared = { readonly keys: number; readonly ofPool?: Limits; readonly ofProvider?: Limits };

/** An engine that has been given the tasks of one key after another; each key has one call at a time. */
async function crowded({ keys, ofPool = none, ofProvider = none }: Shared) {
  const world = new World();
  const provider = new TestProvider();
  provider.reply = () => new Promise((resolve) => world.time.after(WORK_MS, () => resolve(done())));
  const pools = new Pools({ clock: world.time, timers: world.time, logger, draw: () => 0.5 });
  pools.connect(provider, { settings: { ...defaultProvider, limits: ofProvider } });
  const per_key = { key: 'params.user', concurrency: 1, rate: null };
  pools.configure('test/v1', { ...defaultPool, limits: ofPool, per_key });
  const site = await world.started({ provider, parts: { router: pools }, options: { concurrency: 256 } });
  site.faults.beforeCommit = () => new Promise((resolve) => void world.time.after(COMMIT_MS, resolve));
  const tasks = Array.from({ length: keys * TASKS }, (_, index) => ({
    task: { protocol: 'test/v1', method: 'echo', ...once, params: { user: Math.floor(index / TASKS) } },
  }));
  await world.time.until(site.engine.submitMany(tasks));
  const calls = () => {
    const counts = Array.from({ length: keys }, () => 0);
    for (const { params } of provider.calls.splice(0)) {
      const user = Number(params['user']);
      counts[user] = (counts[user] ?? 0) + 1;
    }
    return counts;
  };
  const seen = new Set<number>();
  while (seen.size < keys) {
    await world.time.advance(100);
    for (const [user, count] of calls().entries()) if (count > 0) seen.add(user);
  }
  return { world, calls };
}

describe('keys that wait for the same', () => {
  it.each([
    ['places of the protocol', { ofPool: { concurrency: 10, rate: null } }],
    ['places of the provider', { ofProvider: { concurrency: 10, rate: null } }],
    ['a rate of the protocol', { ofPool: { concurrency: null, rate: { per_ms: 0.5, burst: 100 } } }],
    ['a rate of the provider', { ofProvider: { concurrency: null, rate: { per_ms: 0.5, burst: 100 } } }],
  ])('get equal shares of %s, whatever else each of them waits for', async (_, limits) => {
    const { world, calls } = await crowded({ keys: 40, ...limits });
    await world.time.advance(1500);
    const counts = calls();
    expect(Math.min(...counts) / Math.max(...counts)).toBeGreaterThan(0.7);
    // Nothing lies idle meanwhile.
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(570);
  });

  it('get them also where there are hardly more keys than places, and it matters how soon one is back', async () => {
    const { world, calls } = await crowded({ keys: 15, ofPool: { concurrency: 10, rate: null } });
    await world.time.advance(1500);
    const counts = calls();
    expect(Math.min(...counts) / Math.max(...counts)).toBeGreaterThan(0.6);
  });
});
