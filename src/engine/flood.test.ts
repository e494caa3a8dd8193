import { describe, expect, it } from 'vitest';
import { Pools } from '../router/pools.ts';
import { defaultPool, defaultProvider, type Limits, type ProviderSettings } from '../router/settings.ts';
import { done, TestProvider } from './testing/provider.suite.ts';
import { once, type Site, World } from './testing/world.suite.ts';
import { viewTask } from './views.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const TEN_A_SECOND: Limits = { concurrency: null, rate: { per_ms: 0.01, burst: 10 } };
const HOURLY = { per_ms: 1 / 3_600_000, burst: 1 };
const ONE: Limits = { concurrency: 1, rate: null };
const FLOOD = 2000;

type Given = { id?: string; protocol?: string; ms?: number; settings?: Partial<ProviderSettings> };

/** An engine with a pool of providers, each of which answers after a while. */
async function pooled(world: World, given: readonly Given[]) {
  const pools = new Pools({ clock: world.time, timers: world.time, logger, draw: () => 0.5 });
  const providers = given.map(({ id = 'p1', protocol = 'test/limited', ms = 1, settings = {} }) => {
    const provider = new TestProvider(id, protocol);
    provider.reply = () => new Promise((resolve) => world.time.after(ms, () => resolve(done())));
    pools.connect(provider, { settings: { ...defaultProvider, ...settings } });
    return provider;
  });
  const site = await world.started({ parts: { router: pools }, options: { concurrency: 10 } });
  return { site, pools, providers };
}

async function submitMany(world: World, { engine }: Site, protocol: string, tasks: readonly object[]) {
  const accepted = await world.time.until(
    engine.submitMany(
      tasks.map((task) => ({ task: { protocol, method: 'echo', ...once, params: {}, ...task } })),
    ),
  );
  return accepted.map(({ tasks: [task] }) => task?.[1] ?? '');
}

const numbered = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, number) => ({ params: { number, ...more } }));
const open = (world: World, ids: readonly string[]) =>
  ids.filter((id) => world.row(id).settled_at === null).length;
const claimsOf = (world: World, lane: string) =>
  world.data.journal.flatMap(({ claimed }) => claimed).filter((task) => task.lane === lane).length;
const numbersOf = ({ calls }: TestProvider) => calls.map(({ params }) => params['number']);

describe('a flood of tasks that a limit keeps waiting', () => {
  it('is not claimed, so that others do not stand behind it', async () => {
    const world = new World();
    const { site } = await pooled(world, [
      { settings: { limits: TEN_A_SECOND } },
      { id: 'free', protocol: 'test/free' },
    ]);
    await submitMany(world, site, 'test/limited', numbered(FLOOD));
    const free = await submitMany(world, site, 'test/free', numbered(500));
    await world.time.advance(200);
    expect(open(world, free)).toBe(0);
    expect(claimsOf(world, 'test/limited')).toBeLessThan(300);
  });

  it('comes in the order in which it was submitted, at the rate that is allowed', async () => {
    const world = new World();
    const { site, providers } = await pooled(world, [{ settings: { limits: TEN_A_SECOND } }]);
    await submitMany(world, site, 'test/limited', numbered(FLOOD));
    await world.time.advance(60_000);
    const numbers = providers.flatMap(numbersOf);
    expect(numbers.length).toBeGreaterThan(600);
    expect(numbers.length).toBeLessThanOrEqual(610);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  it('is done to its end, and the provider is never idle meanwhile', async () => {
    const world = new World();
    const { site, providers } = await pooled(world, [{ ms: 100, settings: { limits: ONE } }]);
    const ids = await submitMany(world, site, 'test/limited', numbered(300));
    await world.time.advance(300 * 102);
    expect([open(world, ids), providers[0]?.most]).toEqual([0, 1]);
    expect(providers.flatMap(numbersOf)).toEqual(ids.map((_, index) => index));
  });

  it('lets what is urgent pass', async () => {
    const world = new World();
    const { site, providers } = await pooled(world, [{ ms: 100, settings: { limits: ONE } }]);
    await submitMany(world, site, 'test/limited', numbered(FLOOD));
    await world.time.advance(1000);
    const before = providers.flatMap(numbersOf).length;
    const urgent = numbered(5, { urgent: true }).map((task) => ({ ...task, priority: 'urgent' }));
    const ids = await submitMany(world, site, 'test/limited', urgent);
    await world.time.advance(1000);
    expect(open(world, ids)).toBe(0);
    expect(providers.flatMap(numbersOf).length - before).toBeLessThanOrEqual(10);
  });

  it('keeps nobody of its own protocol waiting whom another provider can take', async () => {
    const world = new World();
    const { site, providers } = await pooled(world, [
      { id: 'x', ms: 60_000, settings: { models: ['x'], limits: ONE } },
      { id: 'y', settings: { models: ['y'], limits: ONE } },
    ]);
    await submitMany(world, site, 'test/limited', numbered(FLOOD, { model: 'x' }));
    const ids = await submitMany(world, site, 'test/limited', numbered(20, { model: 'y' }));
    await world.time.advance(1000);
    expect([open(world, ids), providers[0]?.calls.length]).toEqual([0, 1]);
  });

  it('waits for a provider that is drained, and goes on with it', async () => {
    const world = new World();
    const { site, pools } = await pooled(world, [{ ms: 10, settings: { limits: TEN_A_SECOND } }]);
    pools.drain('p1');
    const ids = await submitMany(world, site, 'test/limited', numbered(FLOOD));
    await world.time.advance(30_000);
    expect(open(world, ids)).toBe(FLOOD);
    expect(claimsOf(world, 'test/limited')).toBeLessThan(500);
    pools.adjust('p1', defaultProvider);
    pools.resume('p1');
    await world.time.advance(10_000);
    expect(open(world, ids)).toBe(0);
  });

  it('is claimed as usual once the limit is gone', async () => {
    const world = new World();
    const { site, pools } = await pooled(world, [{ settings: { limits: ONE }, ms: 1000 }]);
    const ids = await submitMany(world, site, 'test/limited', numbered(500));
    await world.time.advance(100);
    pools.adjust('p1', defaultProvider);
    await world.time.advance(100_000);
    expect(open(world, ids)).toBe(0);
  });

  it('is shared by several engines', async () => {
    const world = new World(false);
    const sites = [
      await pooled(world, [{ ms: 100, settings: { limits: ONE } }]),
      await pooled(world, [{ ms: 100, settings: { limits: ONE } }]),
    ];
    const ids = await submitMany(world, sites[0]?.site as Site, 'test/limited', numbered(300));
    await world.time.advance(300 * 60);
    expect(open(world, ids)).toBe(0);
  });

  it('is cancelled in the middle, and those behind come', async () => {
    const world = new World();
    const { site } = await pooled(world, [{ ms: 100, settings: { limits: ONE } }]);
    const ids = await submitMany(world, site, 'test/limited', numbered(200));
    for (const id of ids.slice(0, 190)) await world.time.until(site.engine.cancelTask(id));
    await world.time.advance(12_000);
    expect(open(world, ids)).toBe(0);
  });

  it('is claimed again after it was given back unstarted', async () => {
    const world = new World();
    const { site } = await pooled(world, [
      { settings: { limits: ONE } },
      { id: 'slow', protocol: 'test/free', ms: 1000 },
    ]);
    await submitMany(world, site, 'test/free', numbered(10));
    const ids = await submitMany(world, site, 'test/limited', numbered(30));
    for (let time = 0; time < 5; time++) {
      await world.time.until(site.engine.pauseQueue('test/limited'));
      await world.time.until(site.engine.resumeQueue('test/limited'));
    }
    await world.time.advance(5000);
    expect(open(world, ids)).toBe(0);
  });

  it('says what it waits for, in the line and behind it', async () => {
    const world = new World();
    const { site, pools } = await pooled(world, [{ settings: { limits: TEN_A_SECOND } }]);
    const ids = await submitMany(world, site, 'test/limited', numbered(FLOOD));
    await world.time.advance(500);
    const saying = async (id: string | undefined) => {
      const found = await site.store.reads.task(id ?? '');
      return found === null ? null : [found.task.parked, viewTask(found, pools).waiting_for];
    };
    const expected = { kind: 'rate', key: 'provider p1', until: null };
    expect(await saying(ids[50])).toEqual(['line rate provider p1', expected]);
    expect(await saying(ids[FLOOD - 1])).toEqual([null, expected]);
  });

  it('says when the first of them may come', async () => {
    const world = new World();
    const { site, pools } = await pooled(world, [
      { settings: { limits: { ...TEN_A_SECOND, rate: HOURLY } } },
    ]);
    const ids = await submitMany(world, site, 'test/limited', numbered(FLOOD));
    await world.time.advance(600_000);
    const until = async (id: string | undefined) => {
      const found = await site.store.reads.task(id ?? '');
      return found === null ? null : viewTask(found, pools, site.engine.seen).waiting_for?.until;
    };
    const due = new Date(site.engine.seen.now + 3_000_000).toISOString();
    const said = [await until(ids[20]), await until(ids[FLOOD - 1])].map((time) => time?.slice(0, 16));
    expect(said).toEqual([due.slice(0, 16), due.slice(0, 16)]);
  });

  it('says so of the limits of its protocol too', async () => {
    const world = new World();
    const { site, pools } = await pooled(world, [{ ms: 60_000 }]);
    pools.configure('test/limited', { ...defaultPool, limits: ONE });
    const ids = await submitMany(world, site, 'test/limited', numbered(FLOOD));
    await world.time.advance(500);
    expect(claimsOf(world, 'test/limited')).toBeLessThan(200);
    const found = await site.store.reads.task(ids[FLOOD - 1] ?? '');
    expect(found === null ? null : viewTask(found, pools).waiting_for).toEqual({
      kind: 'concurrency',
      key: 'protocol test/limited',
      until: null,
    });
  });
});
