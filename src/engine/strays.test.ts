import { describe, expect, it } from 'vitest';
import { Pools } from '../router/pools.ts';
import {
  defaultPool,
  defaultProvider,
  type PoolSettings,
  type ProviderSettings,
} from '../router/settings.ts';
import { done, TestProvider } from './testing/provider.suite.ts';
import { once, World } from './testing/world.suite.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const rate = { per_ms: 1 / 1000, burst: 1 };
const perKey = (limits: object = { concurrency: null, rate }): Partial<PoolSettings> => ({
  per_key: { key: 'params.user', concurrency: null, rate: null, ...limits },
});

type Life = {
  readonly id?: string;
  readonly pool?: Partial<PoolSettings>;
  readonly provider?: Partial<ProviderSettings>;
};

/** One life of a server, as its configuration says. */
async function live(world: World, { id = 'one', pool = {}, provider = {} }: Life) {
  const calls = new TestProvider(id);
  calls.reply = () => new Promise((resolve) => world.time.after(5, () => resolve(done())));
  const pools = new Pools({ clock: world.time, timers: world.time, logger, draw: () => 0.5 });
  pools.connect(calls, { settings: { ...defaultProvider, ...provider } });
  pools.configure('test/v1', { ...defaultPool, ...pool });
  const site = await world.started({
    provider: calls,
    parts: { router: pools },
    options: { concurrency: 64 },
  });
  const slowly = () => new Promise<void>((resolve) => void world.time.after(3, resolve));
  Object.assign(site.faults, { beforeCommit: slowly });
  return { site, calls };
}

/** How many tasks are left so long after a server with another configuration has started. */
async function leftAfter(ms: number, before: Life, after: Life): Promise<{ left: number; most: number }> {
  const world = new World();
  const { site } = await live(world, before);
  const tasks = Array.from({ length: 600 }, (_, index) => ({
    task: { protocol: 'test/v1', method: 'echo', ...once, params: { user: index % 2, group: 'g' } },
  }));
  await world.time.until(site.engine.submitMany(tasks));
  await world.time.advance(3000);
  site.store.crash();
  const { calls } = await live(world, after);
  await world.time.advance(ms);
  const open = [...world.data.tasks.values()].filter((row) => row.settled_at === null);
  return { left: open.length, most: calls.most };
}

const slowProvider: Life = { provider: { limits: { concurrency: null, rate } } };
const few = (concurrency: number): Life => ({
  id: 'two',
  provider: { limits: { concurrency, rate: null } },
});

describe('tasks in a line that no configuration names any more', () => {
  it.each<[string, Life, Life]>([
    ['without limits by key', { pool: perKey() }, {}],
    ['with another key', { pool: perKey() }, { pool: perKey({ key: 'params.group', concurrency: 20 }) }],
    ['without the provider that they waited for', slowProvider, { id: 'two' }],
    ['with one that takes a few calls at a time', slowProvider, few(10)],
    ['with one that takes some at a time', slowProvider, few(40)],
  ])('come as soon as there is room in a life %s', async (_, before, after) => {
    expect(await leftAfter(1500, before, after)).toMatchObject({ left: 0 });
  });

  it('wait by today’s limits where there are others, each in its turn', async () => {
    const { left, most } = await leftAfter(1500, slowProvider, few(2));
    expect(most).toBe(2);
    // Two calls at a time, each of which takes 5 ms and two commits of 3 ms.
    expect(600 - left).toBeGreaterThan(150);
    expect(await leftAfter(9000, slowProvider, few(2))).toEqual({ left: 0, most: 2 });
  });

  it('are left to their own turns where it is named', async () => {
    const both: Life = { pool: perKey() };
    const { left } = await leftAfter(4500, both, both);
    // Two keys at one call a second.
    expect(600 - left).toBeLessThanOrEqual(20);
  });
});
