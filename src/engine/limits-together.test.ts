import { describe, expect, it } from 'vitest';
import { defaultPool, type Limits, type PoolSettings } from '../router/settings.ts';
import { sharing, submit } from './testing/sharing.suite.ts';
import { World } from './testing/world.suite.ts';

const none: Limits = { concurrency: null, rate: null };
const places = (concurrency: number): Limits => ({ concurrency, rate: null });
const TWENTY = { per_ms: 0.02, burst: 20 };
const keys = (limits: Limits) => ({ key: 'params.user', ...limits });

type Case = {
  readonly of: string;
  readonly pool: Partial<PoolSettings>;
  readonly provider?: Limits;
  readonly users: number;
};

/** So many calls begin in each second. */
async function seconds(world: World, count: () => number, watched: number): Promise<number[]> {
  const each: number[] = [];
  for (let second = 0; second < watched; second++) {
    const before = count();
    await world.time.advance(1000);
    each.push(count() - before);
  }
  return each;
}

const cases: readonly Case[] = [
  { of: 'a key', pool: { per_key: keys({ concurrency: 1, rate: TWENTY }) }, users: 1 },
  { of: 'a protocol', pool: { limits: { concurrency: 2, rate: TWENTY } }, users: 1 },
  {
    of: 'a protocol, with keys',
    pool: { limits: { concurrency: 2, rate: TWENTY }, per_key: keys(places(1)) },
    users: 10,
  },
  {
    of: 'a protocol, before places of a provider',
    pool: { limits: { concurrency: null, rate: TWENTY }, per_key: keys(places(1)) },
    provider: places(2),
    users: 10,
  },
  {
    of: 'a provider',
    pool: { per_key: keys(places(1)) },
    provider: { concurrency: 2, rate: TWENTY },
    users: 10,
  },
];

describe('a rate beside few places', () => {
  it.each(cases)(
    'is used in full, however long the line is: $of',
    async ({ pool, provider = none, users }) => {
      const world = new World();
      const one = await sharing(world, { ms: 20, pool, settings: { limits: provider }, concurrency: 256 });
      one.site.faults.beforeCommit = () => new Promise((resolve) => void world.time.after(2, resolve));
      await submit(world, one, 400, (index) => index % users);
      const [, ...later] = await seconds(world, () => one.provider.calls.length, 12);
      for (const count of later) {
        expect(count).toBeGreaterThanOrEqual(18);
        expect(count).toBeLessThanOrEqual(22);
      }
    },
  );
});

describe('a limit that is lowered while a long line waits for it', () => {
  it.each([
    ['a smaller burst', none, { concurrency: 9, rate: { per_ms: 0.02, burst: 1 } }],
    [
      'a slower rate',
      keys({ concurrency: 1, rate: { per_ms: 0.01, burst: 1 } }),
      {
        concurrency: null,
        rate: { per_ms: 0.02, burst: 5 },
      },
    ],
  ] as const)(
    'is the limit from then on, and nobody waits for what is not there any more: %s',
    async (_, key, limits) => {
      const world = new World();
      const per_key = 'key' in key ? key : null;
      const pool = { limits: { concurrency: null, rate: { per_ms: 0.2, burst: 5 } }, per_key };
      const settings = { limits: places(8) };
      const one = await sharing(world, { ms: 400, pool, settings, concurrency: 64 });
      one.site.faults.beforeCommit = () => new Promise((resolve) => void world.time.after(2, resolve));
      await submit(world, one, 900, (index) => index % 60);
      await world.time.advance(3000);
      one.pools.configure('test/v1', { ...defaultPool, limits, per_key });
      for (const count of await seconds(world, () => one.provider.calls.length, 20))
        expect(count).toBeGreaterThanOrEqual(12);
    },
  );
});
