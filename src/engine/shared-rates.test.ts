import { describe, expect, it } from 'vitest';
import { type Sharing, type SharingOptions, sharing } from './testing/sharing.suite.ts';
import { once, World } from './testing/world.suite.ts';

const HOUR_MS = 3_600_000;
const rated = (count: number, ms: number, burst: number) => ({
  limits: { concurrency: 128, rate: { per_ms: count / ms, burst } },
});
const unrated = { limits: { concurrency: 128, rate: null } };

async function submit(world: World, { site }: Sharing, user = 'a'): Promise<string> {
  const task = { protocol: 'test/v1', method: 'echo', ...once, params: { user } };
  const [accepted] = await world.time.until(site.engine.submitMany([{ task }]));
  return accepted?.tasks[0]?.[1] ?? '';
}

/** One call each so often, by the engines in turn. */
async function calls(
  world: World,
  engines: readonly Sharing[],
  { count, ms }: { count: number; ms: number },
) {
  for (let call = 0; call < count; call++) {
    const engine = engines[call % engines.length];
    if (engine !== undefined) await submit(world, engine, `user ${call % 5}`);
    await world.time.advance(ms);
  }
}

const made = (...engines: readonly Sharing[]) => ({
  first: engines.reduce((sum, { provider }) => sum + provider.calls.length, 0),
  others: engines.reduce(
    (sum, { others }) => sum + others.reduce((all, other) => all + other.calls.length, 0),
    0,
  ),
});

const tokensIn = (world: World, name: string): number => {
  const { text } = [...world.data.documents.values()].find(({ key }) => key === name) ?? { text: '{}' };
  return (JSON.parse(text) as { tokens: number }).tokens;
};

describe('a provider whose rate is fetched from the store', () => {
  it('is asked before those of a later tier, however long it had rest', async () => {
    const world = new World();
    const options = { ms: 5, settings: rated(100, 1000, 100), others: { reserve: { ...unrated, tier: 1 } } };
    const one = await sharing(world, options);
    await calls(world, [one], { count: 8, ms: 2500 });
    expect(made(one)).toEqual({ first: 8, others: 0 });
  });

  it('leaves to a later tier what it may not take, at once', async () => {
    const world = new World();
    const options = { ms: 5, settings: rated(1, HOUR_MS, 3), others: { reserve: { ...unrated, tier: 1 } } };
    const one = await sharing(world, options);
    for (let call = 0; call < 10; call++) await submit(world, one);
    await world.time.advance(200);
    expect(made(one)).toEqual({ first: 3, others: 7 });
  });

  it('loses nothing of it while nobody calls it', async () => {
    const world = new World();
    const options = { ms: 5, settings: unrated, others: { reserve: { ...rated(60, HOUR_MS, 10), tier: 1 } } };
    const one = await sharing(world, options);
    await calls(world, [one], { count: 60, ms: 500 });
    expect([made(one).others, one.pools.status('reserve')?.rate?.left]).toEqual([0, 10]);
    one.pools.drain('provider-1');
    for (let call = 0; call < 10; call++) await submit(world, one);
    await world.time.advance(500);
    expect(made(one).others).toBe(10);
  });

  it('has all of it for the first calls ever, also after a rest and after restarts', async () => {
    for (const [lives, rest_ms] of [
      [1, 4000],
      [5, 400],
    ] as const) {
      const world = new World();
      const options = { ms: 5, settings: rated(10, HOUR_MS, 5) };
      let one = await sharing(world, options);
      for (let life = 1; life < lives; life++) {
        await world.time.advance(rest_ms);
        one.site.store.crash();
        one = await sharing(world, options);
      }
      await world.time.advance(rest_ms);
      for (let call = 0; call < 5; call++) await submit(world, one);
      await world.time.advance(1000);
      expect(made(one).first).toBe(5);
    }
  });

  it('loses nothing of what a protocol may do while it is drained', async () => {
    const world = new World();
    const limits = { limits: { concurrency: null, rate: { per_ms: 60 / HOUR_MS, burst: 10 } } };
    const one = await sharing(world, { ms: 5, pool: limits });
    one.pools.drain('provider-1');
    await calls(world, [one], { count: 10, ms: 2500 });
    expect(made(one).first).toBe(0);
    one.pools.resume('provider-1');
    await world.time.advance(5000);
    expect(made(one).first).toBe(10);
  });

  for (const [when, ends] of [
    ['the engine stops', ({ site }: Sharing) => site.engine.stop()],
    ['it is taken out', ({ pools }: Sharing) => pools.disconnect('provider-1')],
  ] as const)
    it(`has back what was fetched and not used when ${when}`, async () => {
      const world = new World();
      const one = await sharing(world, { ms: 5, settings: rated(100, 1000, 100) });
      await submit(world, one);
      await world.time.advance(50);
      expect(tokensIn(world, 'provider provider-1')).toBeLessThan(60);
      await world.time.until(ends(one));
      await world.time.settle();
      expect(tokensIn(world, 'provider provider-1')).toBeGreaterThan(98);
    });
});

describe('providers that two engines share', () => {
  const both = async (world: World, options: SharingOptions) => [
    await sharing(world, options),
    await sharing(world, options),
  ];

  for (const [what, settings] of [
    ['places', unrated],
    ['places and a rate', rated(100, 1000, 100)],
  ] as const)
    it(`are asked by tier, by zone and by what sticks to them, with ${what}`, async () => {
      for (const ms of [300, 1500, 2300]) {
        const tiered = new World(false);
        const byTier = await both(tiered, { ms: 5, settings, others: { reserve: { ...unrated, tier: 1 } } });
        await calls(tiered, byTier, { count: 12, ms });
        expect(made(...byTier)).toEqual({ first: 12, others: 0 });

        const zoned = new World(false);
        const near = { settings: { ...settings, zone: 'eu' }, others: { us: { ...unrated, zone: 'us' } } };
        const byZone = await both(zoned, { ms: 5, ...near, pool: { zone: 'eu' } });
        await calls(zoned, byZone, { count: 12, ms });
        expect(made(...byZone)).toEqual({ first: 12, others: 0 });

        const sticking = new World(false);
        const sticky = { select: 'sticky', sticky_by: 'params.user' } as const;
        const byUser = await both(sticking, { ms: 5, settings, others: { b: settings }, pool: sticky });
        await calls(sticking, byUser, { count: 30, ms });
        const askedBy = new Map<unknown, Set<string>>();
        for (const { provider, others } of byUser)
          for (const { id, calls: all } of [provider, ...others])
            for (const { params } of all)
              askedBy.set(params['user'], (askedBy.get(params['user']) ?? new Set()).add(id));
        expect([...askedBy.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1, 1]);
      }
    });

  it('leave to a later tier what does not fit, before long', async () => {
    const world = new World(false);
    const few = { limits: { concurrency: 2, rate: null } };
    const options = { ms: 60_000, settings: few, others: { reserve: { ...unrated, tier: 1 } } };
    const [one, two] = [await sharing(world, options), await sharing(world, options)];
    for (let call = 0; call < 4; call++) {
      await submit(world, one);
      await submit(world, two);
    }
    await world.time.advance(1500);
    expect(made(one, two)).toEqual({ first: 2, others: 6 });
  });

  it('get no more calls where the clocks of the engines differ', async () => {
    const world = new World(false);
    const options = { ms: 1, settings: rated(5, 1000, 5) };
    const one = await sharing(world, options);
    const two = await sharing(world, { ...options, ahead_ms: HOUR_MS });
    for (let call = 0; call < 100; call++) await submit(world, call % 2 === 0 ? one : two);
    const [began, before] = [world.time.monotonic(), made(one, two).first];
    await world.time.advance(10_000);
    const { first } = made(one, two);
    expect(first - before).toBeLessThanOrEqual(5 + ((world.time.monotonic() - began) / 1000) * 5);
    expect(first).toBeGreaterThan(40);
  });
});
