import { describe, expect, it } from 'vitest';
import { Pools } from '../router/pools.ts';
import { defaultProvider } from '../router/settings.ts';
import { done, TestProvider } from './testing/provider.suite.ts';
import { echo, World } from './testing/world.suite.ts';

async function setUp(concurrency = 4) {
  const world = new World();
  const provider = new TestProvider();
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const pools = new Pools({ clock: world.time, timers: world.time, logger });
  pools.connect(new TestProvider('other', 'test/other'));
  const site = await world.started({ provider, parts: { router: pools }, options: { concurrency } });
  return { world, provider, pools, site };
}

describe('an engine whose providers come and go', () => {
  it('takes up what waited for a provider at once', async () => {
    const { world, provider, pools, site } = await setUp();
    const task_id = await world.submit(site);
    await world.time.settle();
    expect(world.row(task_id)).toMatchObject({ status: 'queued', owner: null });
    provider.reply = () => done();
    const before = world.time.monotonic();
    pools.connect(provider);
    await world.time.settle();
    expect(world.row(task_id)).toMatchObject({ status: 'completed' });
    expect(world.time.monotonic()).toBe(before);
  });

  it('gives back what nobody can do any more, without an attempt', async () => {
    const { world, provider, pools, site } = await setUp(1);
    pools.connect(provider);
    const ids = [await world.submit(site), await world.submit(site), await world.submit(site)];
    await world.time.settle();
    expect(ids.map((id) => world.row(id).owner === null)).toEqual([false, false, false]);
    const gone = pools.disconnect(provider.id);
    provider.last.answer(done());
    await gone;
    await world.time.settle();
    const rows = ids.map((id) => world.row(id));
    expect(rows.map(({ status, attempt_count, owner }) => ({ status, attempt_count, owner }))).toEqual([
      { status: 'completed', attempt_count: 1, owner: null },
      { status: 'queued', attempt_count: 0, owner: null },
      { status: 'queued', attempt_count: 0, owner: null },
    ]);
    provider.reply = () => done();
    pools.connect(provider);
    for (const id of ids) expect(await world.outcome(site, id)).toMatchObject({ status: 'completed' });
  });

  it('leaves to others, and to later, a method that none of its providers has', async () => {
    const { world, provider, pools, site } = await setUp();
    provider.hasMethod = (method) => method !== 'echo';
    pools.connect(provider);
    const task_id = await world.submit(site);
    await world.time.advance(60_000);
    expect(world.row(task_id)).toMatchObject({ status: 'queued', attempt_count: 0, parked: 'provider echo' });
    expect(site.log.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'no provider here has this method; its tasks wait for one',
        fields: { protocol: 'test/v1', method: 'echo' },
      },
    ]);
    const able = new TestProvider('able');
    able.reply = () => done();
    pools.connect(able);
    await world.time.advance(3000);
    expect(world.row(task_id)).toMatchObject({ status: 'completed', attempt_count: 1 });
  });

  it('leaves to others, and to later, a model that none of its providers serves', async () => {
    const { world, provider, pools, site } = await setUp();
    provider.reply = () => done();
    const small = { ...defaultProvider, models: ['small'] };
    pools.connect(provider, { settings: small });
    const params = { model: 'large' };
    const task_id = await world.submit(site, { params });
    await world.time.advance(60_000);
    expect(world.row(task_id)).toMatchObject({ attempt_count: 0, parked: 'provider echo model=large' });
    expect(await world.outcome(site, await world.submit(site))).toMatchObject({ status: 'completed' });
    pools.adjust(provider.id, { ...small, models: ['small', 'large'] });
    await world.time.advance(3000);
    expect(world.row(task_id)).toMatchObject({ status: 'completed', attempt_count: 1 });
  });

  it('lets another engine do what it has no provider for', async () => {
    const world = new World(false);
    const unable = new TestProvider('unable');
    unable.hasMethod = () => false;
    const able = new TestProvider('able');
    able.reply = () => done();
    const one = await world.started({ provider: unable, options: { concurrency: 100 } });
    await world.started({ provider: able });
    const tasks = Array.from({ length: 20 }, () => ({
      task: { ...echo, retry_config: { max_attempts: 1 } },
    }));
    const accepted = await world.time.until(one.engine.submitMany(tasks));
    for (const {
      tasks: [task],
    } of accepted) {
      expect(await world.outcome(one, task?.[1] ?? '')).toMatchObject({ status: 'completed' });
    }
    expect(able.calls).toHaveLength(20);
    expect([...world.data.tasks.values()].every(({ attempt_count }) => attempt_count === 1)).toBe(true);
  });

  it('ends a task whose provider does not come in time', async () => {
    const { world, provider, pools, site } = await setUp();
    provider.hasMethod = () => false;
    pools.connect(provider);
    const task_id = await world.submit(site, { total_timeout: 5 });
    expect(await world.outcome(site, task_id)).toMatchObject({
      status: 'failed',
      error: { data: { error_code: 'GLZ2003' } },
    });
    expect(world.time.monotonic()).toBeLessThan(5100);
  });

  it('listens to its router only while it runs', async () => {
    const { world, provider, pools, site } = await setUp();
    await world.time.until(site.engine.stop(0));
    pools.connect(provider);
    await world.time.settle();
    expect(provider.calls).toHaveLength(0);
  });
});
