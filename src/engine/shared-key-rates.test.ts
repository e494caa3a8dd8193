import { describe, expect, it } from 'vitest';
import { open, type Sharing, sharing, sheetWrites, slowDown, submit } from './testing/sharing.suite.ts';
import { seededRandom, World } from './testing/world.suite.ts';

describe('a rate for each key', () => {
  const rate = { per_ms: 0.01, burst: 5 };
  const pool = { per_key: { key: 'params.user', concurrency: null, rate } };
  const calls = (...engines: Sharing[]) =>
    engines.reduce((sum, { provider }) => sum + provider.calls.length, 0);

  it('holds for all engines together', async () => {
    const world = new World(false);
    const one = await sharing(world, { pool, ms: 1 });
    const two = await sharing(world, { pool, ms: 1 });
    const ids = await submit(world, one, 60, (index) => index % 2);
    await world.time.advance(1000);
    expect(calls(one, two)).toBeLessThanOrEqual(2 * (5 + 10));
    expect(calls(one, two)).toBeGreaterThan(2 * 11);
    await world.time.advance(20_000);
    expect(open(world, ids)).toBe(0);
  });

  it('holds where one had it for itself before, and both are given work', async () => {
    const world = new World(false);
    const one = await sharing(world, { pool, ms: 1 });
    await world.time.advance(2000);
    const two = await sharing(world, { pool, ms: 1 });
    const ids: string[] = [];
    const began = world.time.monotonic();
    for (let turn = 0; turn < 60; turn++) {
      ids.push(...(await submit(world, one, 2)), ...(await submit(world, two, 2)));
      await world.time.advance(100);
      const most = rate.burst + (world.time.monotonic() - began) * rate.per_ms;
      expect(calls(one, two)).toBeLessThanOrEqual(most + 1);
    }
    expect(Math.min(calls(one), calls(two))).toBeGreaterThan(10);
    expect(calls(one, two)).toBeGreaterThan(50);
    await world.time.advance(60_000);
    expect(open(world, ids)).toBe(0);
  });

  it('is used all the time where one engine claims what another has called', async () => {
    const world = new World(false);
    const { next } = seededRandom(10);
    const quick = { per_key: { key: 'params.user', concurrency: null, rate: { per_ms: 0.05, burst: 10 } } };
    const options = { pool: quick, ms: 20 };
    const [one, two] = [await sharing(world, options), await sharing(world, options)];
    slowDown(world, [one, two], () => 1 + Math.floor(next() * 12));
    const half = (by: Sharing) => submit(world, by, 500, (index) => index % 2);
    const ids = [...(await half(one)), ...(await half(two))];
    // 500 calls of each user, 50 a second.
    await world.time.advance(1.3 * 10_000);
    expect(open(world, ids)).toBe(0);
  });

  for (const exclusive of [true, false]) {
    it(`is remembered over a kill${exclusive ? '' : ' of one of several'}, and costs few writes`, async () => {
      const world = new World(exclusive);
      const one = await sharing(world, { pool, ms: 1 });
      await world.time.advance(100);
      const before = sheetWrites(world);
      const ids = await submit(world, one, 30);
      await world.time.advance(500);
      expect(sheetWrites(world) - before).toBeLessThanOrEqual(2);
      expect(one.provider.calls.length).toBeGreaterThanOrEqual(9);
      one.site.store.crash();
      const two = await sharing(world, { pool, ms: 1 });
      await world.time.advance(exclusive ? 500 : 0);
      expect(two.provider.calls.length).toBeLessThanOrEqual(7);
      await world.time.advance(30_000);
      expect(open(world, ids)).toBe(0);
    });
  }

  it('never comes to more by any number of kills, whenever they come', async () => {
    const world = new World();
    const { next } = seededRandom(7);
    const began = world.time.monotonic();
    let made = 0;
    for (let life = 0; life < 40; life++) {
      const one = await sharing(world, { pool, ms: 1 });
      if (life % 10 === 0) await submit(world, one, 60);
      await world.time.advance(Math.floor(next() * 1500));
      made += one.provider.calls.length;
      one.site.store.crash();
      const most = rate.burst + (world.time.monotonic() - began) * rate.per_ms;
      expect(made, `life ${life}`).toBeLessThanOrEqual(most);
    }
    expect(made).toBeGreaterThan(100);
  });

  /** Calls of a key with 100/s, in lives that are ended by kills, never come to more than that. */
  async function killed(
    lives: number,
    life_ms: number,
    first: (world: World, one: Sharing) => Promise<void>,
  ) {
    const world = new World();
    const hundred = { per_ms: 0.1, burst: 100 };
    const keyed = { per_key: { key: 'params.user', concurrency: null, rate: hundred } };
    const living = () => sharing(world, { pool: keyed, ms: 1, concurrency: 200 });
    let one = await living();
    await world.time.advance(3000);
    const began = world.time.monotonic();
    await first(world, one);
    let made = 0;
    for (let life = 0; life < lives; life++) {
      await world.time.advance(life_ms);
      made += one.provider.calls.length;
      one.site.store.crash();
      const most = hundred.burst + (world.time.monotonic() - began) * hundred.per_ms;
      expect(made, `life ${life}`).toBeLessThanOrEqual(most);
      one = await living();
    }
  }

  it.each([60, 100, 250])('is not given out again by kills that come every %i ms', (life_ms) =>
    killed(8, life_ms, async (world, one) => {
      // The sheet says that half of it is left, and says so of whatever comes.
      await submit(world, one, 50);
      await world.time.advance(30);
      await submit(world, one, 3000);
    }),
  );

  it.each([1, 15, 25])('is remembered over a kill %i ms after the first calls of a while', (life_ms) =>
    killed(3, life_ms, async (world, one) => void (await submit(world, one, 400))),
  );

  it('is not forgotten by an orderly stop right after a kill', async () => {
    const world = new World();
    let one = await sharing(world, { pool, ms: 1 });
    await world.time.advance(20);
    const began = world.time.monotonic();
    await submit(world, one, 30);
    await world.time.advance(50);
    let made = one.provider.calls.length;
    one.site.store.crash();
    one = await sharing(world, { pool, ms: 1 });
    await world.time.advance(10);
    await world.time.until(one.site.engine.stop());
    made += one.provider.calls.length;
    one.site.store.crash();
    one = await sharing(world, { pool, ms: 1 });
    await submit(world, one, 30);
    await world.time.advance(20);
    made += one.provider.calls.length;
    expect(made).toBeLessThanOrEqual(rate.burst + (world.time.monotonic() - began) * rate.per_ms);
  });

  it('that is slow has after a kill what was left of it', async () => {
    const world = new World();
    const slow = { per_ms: 1 / 3_600_000, burst: 5 };
    const keyed = { per_key: { key: 'params.user', concurrency: null, rate: slow } };
    const one = await sharing(world, { pool: keyed, ms: 1 });
    await submit(world, one, 2);
    await world.time.advance(500);
    expect(one.provider.calls).toHaveLength(2);
    // What was fetched for it and not used has gone back.
    await world.time.advance(5000);
    one.site.store.crash();
    const two = await sharing(world, { pool: keyed, ms: 1 });
    await submit(world, two, 9);
    await world.time.advance(2000);
    expect(two.provider.calls).toHaveLength(3);
  });

  it('is known to the token after an orderly stop', async () => {
    const world = new World();
    const one = await sharing(world, { pool, ms: 1 });
    await world.time.advance(1);
    await submit(world, one, 3);
    await world.time.advance(20);
    expect(one.provider.calls).toHaveLength(3);
    await world.time.until(one.site.engine.stop());
    one.site.store.crash();
    const two = await sharing(world, { pool, ms: 1 });
    await submit(world, two, 10);
    await world.time.advance(20);
    expect(two.provider.calls).toHaveLength(2);
  });

  const hourly = {
    per_key: { key: 'params.user', concurrency: null, rate: { per_ms: 1 / 3_600_000, burst: 2 } },
  };

  for (const exclusive of [true, false]) {
    it(`that is slow is exact over kills${exclusive ? '' : ' of one of several'}, whenever they come`, async () => {
      const world = new World(exclusive);
      let made = 0;
      for (let life = 0; life < 8; life++) {
        const one = await sharing(world, { pool: hourly, ms: 1_000_000 });
        const ids = await submit(world, one, 4);
        const killed = new Promise<void>((resolve) => {
          one.provider.onCall = () => {
            one.site.store.crash();
            resolve();
          };
        });
        await Promise.race([killed, world.time.advance(1000)]);
        expect(ids).toHaveLength(4);
        made += one.provider.calls.length;
        one.site.store.crash();
        // What it had of the work is anybody's again.
        await world.time.advance(40_000);
      }
      expect([made <= 2, made >= 1]).toEqual([true, true]);
    });
  }

  it('that is slow holds for all engines together, and nothing of it is lost where nobody dies', async () => {
    const world = new World(false);
    const slow = {
      per_key: { key: 'params.user', concurrency: null, rate: { per_ms: 1 / 10_000, burst: 4 } },
    };
    const options = { pool: { ...slow, limits: { concurrency: 1, rate: null } }, ms: 100 };
    const [one, two] = [await sharing(world, options), await sharing(world, options)];
    const ids = [...(await submit(world, one, 15)), ...(await submit(world, two, 15))];
    // All that a key may do in a minute and a half is done in it: 4 + 9.
    for (let second = 0; second < 90; second++) await world.time.advance(1000);
    expect(calls(one, two)).toBeLessThanOrEqual(13);
    expect(calls(one, two)).toBeGreaterThanOrEqual(12);
    await world.time.advance(200);
    expect(open(world, ids)).toBe(30 - calls(one, two));
  });

  it('that is slow is written for many keys at once', async () => {
    const world = new World(true);
    const one = await sharing(world, { pool: hourly, ms: 1, concurrency: 1000 });
    await world.time.advance(100);
    const before = sheetWrites(world);
    await submit(world, one, 320, (index) => index % 320);
    await world.time.advance(500);
    expect(calls(one)).toBe(320);
    expect(sheetWrites(world) - before).toBeLessThanOrEqual(3 * 16);
  });
});
