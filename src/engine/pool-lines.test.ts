import { describe, expect, it } from 'vitest';
import { Pools } from '../router/pools.ts';
import { defaultPool, defaultProvider, type Limits } from '../router/settings.ts';
import { done, TestProvider } from './testing/provider.suite.ts';
import { once, type Site, World } from './testing/world.suite.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const LIMITS: Limits = { ...defaultProvider.limits, concurrency: 3 };

/** An engine whose provider takes few calls at a time, each of which takes a while. */
async function limited(world: World, { ms = 100, limits = LIMITS } = {}) {
  const provider = new TestProvider();
  provider.reply = () => new Promise((resolve) => world.time.after(ms, () => resolve(done())));
  const pools = new Pools({ clock: world.time, timers: world.time, logger, draw: () => 0.5 });
  pools.connect(provider, { settings: { ...defaultProvider, limits } });
  const site = await world.started({ provider, parts: { router: pools }, options: { concurrency: 10 } });
  return { site, provider, pools };
}

async function submitMany(world: World, { engine }: Site, count: number, params?: (index: number) => object) {
  const tasks = Array.from({ length: count }, (_, index) => ({
    task: { protocol: 'test/v1', method: 'echo', ...once, params: params?.(index) ?? {} },
  }));
  const accepted = await world.time.until(engine.submitMany(tasks));
  return accepted.map(({ tasks: [task] }) => task?.[1] ?? '');
}

const open = (world: World, ids: readonly string[]) =>
  ids.filter((id) => world.row(id).settled_at === null).length;

describe('a provider that takes few calls at a time', () => {
  it('has always as many as it takes, and never more', async () => {
    const world = new World();
    const { site, provider } = await limited(world);
    const ids = await submitMany(world, site, 60);
    await world.time.advance(2200);
    expect([open(world, ids), provider.most]).toEqual([0, 3]);
    const releases = world.data.journal
      .flatMap(({ writes }) => writes)
      .filter(({ kind }) => kind === 'release');
    expect(releases.length).toBeLessThan(20);
  });

  it('is as busy after a restart as before', async () => {
    const world = new World();
    const before = await limited(world);
    const ids = await submitMany(world, before.site, 60);
    await world.time.advance(250);
    before.site.store.crash();
    const left = open(world, ids);
    const { provider } = await limited(world);
    await world.time.advance((left / 3) * 100 + 500);
    expect([open(world, ids), provider.most]).toEqual([0, 3]);
  });

  it('is as busy as it can be while several engines share the work', async () => {
    const world = new World(false);
    const [one, two] = [await limited(world), await limited(world)];
    const ids = await submitMany(world, one.site, 120);
    await world.time.advance(2200);
    expect([open(world, ids), one.provider.most, two.provider.most]).toEqual([0, 3, 3]);
  });

  it('is shared by keys, whoever sent more', async () => {
    const world = new World();
    const { site, pools, provider } = await limited(world, { limits: defaultProvider.limits });
    const per_key = { key: 'params.user', concurrency: 1, rate: null };
    pools.configure('test/v1', { ...defaultPool, per_key });
    const ids = await submitMany(world, site, 40, (index) => ({ user: index < 36 ? 1 : 2 }));
    await world.time.advance(420);
    const users = provider.calls.map(({ params }) => params['user']);
    expect(users.filter((user) => user === 2)).toHaveLength(4);
    await world.time.advance(4000);
    expect(open(world, ids)).toBe(0);
  });
});
