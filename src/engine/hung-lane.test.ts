import { describe, expect, it } from 'vitest';
import { Pools } from '../router/pools.ts';
import { defaultPool, defaultProvider } from '../router/settings.ts';
import { done, TestProvider } from './testing/provider.suite.ts';
import { once, type Site, World } from './testing/world.suite.ts';
import { viewTask } from './views.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const FLOOD = 400;
const SLOTS = 16;

/** Providers of `hung` never answer; `well` answers at once. */
async function setUp(world: World, others: readonly string[] = ['test/well']) {
  const pools = new Pools({ clock: world.time, timers: world.time, logger, draw: () => 0.5 });
  const hung = [new TestProvider('h1', 'test/hung'), new TestProvider('h2', 'test/hung')];
  const well = others.map((protocol) => {
    const provider = new TestProvider(protocol, protocol);
    provider.reply = () => done();
    return provider;
  });
  const limits = { concurrency: SLOTS, rate: null };
  for (const provider of [...hung, ...well])
    pools.connect(provider, { settings: { ...defaultProvider, limits } });
  const site = await world.started({ parts: { router: pools }, options: { concurrency: SLOTS } });
  return { site, pools, hung };
}

async function submitMany(world: World, { engine }: Site, protocols: readonly string[], more: object = {}) {
  const accepted = await world.time.until(
    engine.submitMany(
      protocols.map((protocol) => ({
        task: { protocol, method: 'echo', params: {}, ...once, timeout: 3600, ...more },
      })),
    ),
  );
  return accepted.map(({ tasks: [task] }) => task?.[1] ?? '');
}

const flood = Array.from({ length: FLOOD }, () => 'test/hung');
const open = (world: World, ids: readonly string[]) => ids.filter((id) => world.row(id).settled_at === null);
const running = (providers: readonly TestProvider[]) => providers.reduce((sum, one) => sum + one.running, 0);

describe('a protocol whose providers hang', () => {
  it('leaves a slot to every other, however many of its tasks there are', async () => {
    const world = new World();
    const { site, hung } = await setUp(world);
    await submitMany(world, site, flood);
    await world.time.advance(500);
    expect(running(hung)).toBe(14);
    for (let time = 0; time < 5; time++) {
      const ids = await submitMany(world, site, Array<string>(10).fill('test/well'));
      await world.time.advance(100);
      expect(open(world, ids)).toEqual([]);
    }
    expect(running(hung)).toBe(14);
  });

  it('does not hide those who stand behind its tasks', async () => {
    const world = new World();
    const { site } = await setUp(world);
    const ids = await submitMany(world, site, [...flood, 'test/well']);
    await world.time.advance(100);
    expect(open(world, ids.slice(FLOOD))).toEqual([]);
  });

  it('leaves one to each of two, also where another hangs', async () => {
    const world = new World();
    const { site, pools, hung } = await setUp(world, ['test/well', 'test/late']);
    const late = new TestProvider('test/late', 'test/late');
    pools.connect(late);
    await submitMany(world, site, flood);
    await submitMany(
      world,
      site,
      flood.map(() => 'test/late'),
    );
    await world.time.advance(500);
    const ids = await submitMany(world, site, Array<string>(10).fill('test/well'));
    await world.time.advance(100);
    expect(open(world, ids)).toEqual([]);
    expect([running(hung), late.running]).toEqual([13, 2]);
  });

  it('leaves one where its limits go by a key', async () => {
    const world = new World();
    const { site, pools } = await setUp(world);
    const per_key = { key: 'params.user', concurrency: 2 * SLOTS, rate: null };
    pools.configure('test/hung', { ...defaultPool, per_key });
    await submitMany(world, site, flood);
    await world.time.advance(500);
    const ids = await submitMany(world, site, Array<string>(10).fill('test/well'));
    await world.time.advance(100);
    expect(open(world, ids)).toEqual([]);
  });

  it('leaves one with each of several engines', async () => {
    const world = new World(false);
    const { site } = await setUp(world);
    await setUp(world);
    await submitMany(world, site, flood);
    await world.time.advance(2000);
    const ids = await submitMany(world, site, Array<string>(10).fill('test/well'));
    await world.time.advance(2000);
    expect(open(world, ids)).toEqual([]);
  });

  it('goes on with its own once they answer', async () => {
    const world = new World();
    const { site, hung } = await setUp(world);
    const ids = await submitMany(world, site, flood);
    await world.time.advance(500);
    for (const provider of hung) {
      provider.reply = () => done();
      for (const call of [...provider.calls]) call.done();
    }
    await world.time.advance(500);
    expect(open(world, ids)).toEqual([]);
  });

  it('may use every slot where it is the only one, or all others are paused', async () => {
    const world = new World();
    const alone = await setUp(world, []);
    await submitMany(world, alone.site, flood);
    await world.time.advance(500);
    expect(running(alone.hung)).toBe(SLOTS);
    const another = new World();
    const paused = await setUp(another);
    await another.time.until(paused.site.engine.pauseQueue('test/well'));
    await submitMany(another, paused.site, flood);
    await another.time.advance(500);
    expect(running(paused.hung)).toBe(SLOTS);
  });

  it('has its tasks say that they wait for a slot, claimed or not', async () => {
    const world = new World();
    const { site, pools } = await setUp(world);
    const ids = await submitMany(world, site, flood);
    await world.time.advance(500);
    const saying = async (id: string | undefined) => {
      const found = await site.store.reads.task(id ?? '');
      return found === null ? null : [found.task.owner !== null, viewTask(found, pools).waiting_for];
    };
    const slot = { kind: 'slot', key: 'test/hung', until: null };
    expect(await saying(ids[0])).toEqual([true, null]);
    expect(await saying(ids[20])).toEqual([true, slot]);
    expect((await saying(ids[FLOOD - 1]))?.[0]).toBe(false);
  });
});
