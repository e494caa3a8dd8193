import { describe, expect, it } from 'vitest';
import {
  open,
  Running,
  type Sharing,
  sharing,
  sheetWrites,
  slowDown,
  submit,
} from './testing/sharing.suite.ts';
import { seededRandom, World } from './testing/world.suite.ts';

const limits = (concurrency: number) => ({ limits: { concurrency, rate: null } });

describe('a limit that engines share', () => {
  it('holds for all of them together, and all of it is used', async () => {
    const world = new World(false);
    const running = new Running();
    const engines = [
      await sharing(world, { settings: limits(4), running }),
      await sharing(world, { settings: limits(4), running }),
      await sharing(world, { settings: limits(4), running }),
    ];
    const [first] = engines;
    if (first === undefined) throw new Error('there is one');
    const ids = await submit(world, first, 120);
    await world.time.advance(4200);
    expect([open(world, ids), running.most.get('all')]).toEqual([0, 4]);
  });

  it('is one engine’s without further writes while it is alone', async () => {
    const world = new World(false);
    const one = await sharing(world, { settings: limits(4) });
    await world.time.advance(50);
    const before = sheetWrites(world);
    const ids = await submit(world, one, 40);
    await world.time.advance(1200);
    expect([open(world, ids), sheetWrites(world) - before]).toEqual([0, 0]);
  });

  it('is shared out fairly where all have work, also one place', async () => {
    for (const [most, seconds] of [
      [1, 20],
      [4, 6],
    ] as const) {
      const world = new World(false);
      const one = await sharing(world, { settings: limits(most) });
      const two = await sharing(world, { settings: limits(most) });
      const ids = await submit(world, one, most * seconds * 10 * 2);
      await world.time.advance(seconds * 1000);
      expect(open(world, ids)).toBeGreaterThan(0);
      const [a, b] = [one.provider.calls.length, two.provider.calls.length];
      expect(a + b).toBeGreaterThan(most * seconds * 10 * 0.8);
      expect(Math.min(a, b) / Math.max(a, b)).toBeGreaterThan(0.5);
    }
  });

  it('comes back from an engine that is dead, after its lease', async () => {
    const world = new World(false);
    const running = new Running();
    const one = await sharing(world, { settings: limits(4), ms: 1_000_000, running });
    const two = await sharing(world, { settings: limits(4) });
    const ids = await submit(world, one, 40);
    await world.time.advance(500);
    one.site.store.crash();
    await world.time.advance(60_000);
    expect(open(world, ids)).toBe(0);
    expect(two.provider.most).toBe(4);
  });

  it('holds for each of many keys', async () => {
    const world = new World(false);
    const running = new Running();
    const per_key = { key: 'params.user', concurrency: 1, rate: null };
    const engines = [
      await sharing(world, { pool: { per_key }, running, concurrency: 20 }),
      await sharing(world, { pool: { per_key }, running, concurrency: 20 }),
    ];
    const [first] = engines;
    if (first === undefined) throw new Error('there is one');
    const ids = await submit(world, first, 200, (index) => index % 20);
    await world.time.advance(4000);
    expect(open(world, ids)).toBe(0);
    for (let user = 0; user < 20; user++) expect(running.most.get(`user ${user}`)).toBe(1);
    await world.time.advance(20_000);
    const sheets = [...world.data.documents.values()].filter(({ key }) => key.startsWith('keys '));
    expect(sheets).toHaveLength(16);
    for (const { text } of sheets) expect(JSON.parse(text).claims).toEqual([]);
  });

  it.each([
    { users: 2, slow: 12, seed: 2 },
    { users: 4, slow: 4, seed: 5 },
  ])(
    'is used all the time where tasks of $users keys need places of two limits, and other engines take them meanwhile',
    async ({ users, slow, seed }) => {
      const world = new World(false);
      const { next } = seededRandom(seed);
      const running = new Running();
      const per_key = { key: 'params.user', concurrency: 1, rate: null };
      const options = { settings: limits(128), pool: { per_key }, running, ms: 60, concurrency: 50 };
      const [one, two] = [await sharing(world, options), await sharing(world, options)];
      slowDown(world, [one, two], () => 1 + Math.floor(next() * slow));
      const half = (by: Sharing) => submit(world, by, 50 * users, (index) => index % users);
      const ids = [...(await half(one)), ...(await half(two))];
      // A hundred calls of each user, one after the other.
      await world.time.advance(2 * 100 * 60);
      expect(open(world, ids)).toBe(0);
      for (let user = 0; user < users; user++) expect(running.most.get(`user ${user}`)).toBe(1);
    },
  );
});

describe('a limit of all keys together', () => {
  it('is used nearly all the time where one engine calls away whom another keeps a place of its key for', async () => {
    const world = new World(false);
    const { next } = seededRandom(3);
    const per_key = { key: 'params.user', concurrency: 1, rate: null };
    const options = { pool: { per_key, ...limits(4) }, ms: 1000, concurrency: 50 };
    const engines = [
      await sharing(world, options),
      await sharing(world, options),
      await sharing(world, options),
    ];
    slowDown(world, engines, () => 1 + Math.floor(next() * 4));
    const ids: string[] = [];
    for (const one of engines) ids.push(...(await submit(world, one, 60, (index) => index % 20)));
    // 180 calls, four at a time.
    for (let second = 0; second < 1.2 * 45; second++) await world.time.advance(1000);
    expect(open(world, ids)).toBe(0);
  });
});

describe('keys that wait for places of all', () => {
  it('are served in turn by engines that share them, also after both were killed', async () => {
    const world = new World(false);
    const per_key = { key: 'params.user', concurrency: 100, rate: null };
    const options = { pool: { per_key, ...limits(4) }, ms: 100, concurrency: 50 };
    const before = [await sharing(world, options), await sharing(world, options)];
    const [first] = before;
    if (first === undefined) throw new Error('there is one');
    const greedy = await submit(world, first, 300, () => 1);
    const small = await submit(world, first, 10, () => 2);
    await world.time.advance(200);
    for (const { site } of before) site.store.crash();
    for (let count = 0; count < 2; count++) await sharing(world, options);
    await world.time.advance(40_000);
    const late = await submit(world, await sharing(world, options), 10, () => 3);
    await world.time.advance(2000);
    expect([open(world, small), open(world, late)]).toEqual([0, 0]);
    expect(open(world, greedy)).toBeLessThan(300);
    await world.time.advance(60_000);
    expect(open(world, greedy)).toBe(0);
  });
});
