import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Running, type Sharing, type SharingOptions, sharing } from './testing/sharing.suite.ts';
import { once, seededRandom, World } from './testing/world.suite.ts';

const places = fc.option(fc.integer({ min: 1, max: 5 }));

const world = fc.record({
  provider: places,
  protocol: places,
  key: places,
  engines: fc.integer({ min: 2, max: 3 }),
  tasks: fc.array(fc.record({ user: fc.nat(4), by: fc.nat(2), after: fc.nat(30) }), {
    minLength: 1,
    maxLength: 40,
  }),
  /** Engines that come and go while there is work. */
  changes: fc.array(fc.constantFrom('comes', 'goes'), { maxLength: 3 }),
  /** The part of hints that is lost. */
  deaf: fc.constantFrom(0, 0, 0.5, 1),
  seed: fc.nat(1000),
});

describe('whatever limits engines share', () => {
  it('no limit is exceeded by all of them together, and all work ends', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ provider, protocol, key, tasks, changes, seed, ...given }) => {
        const here = new World(false);
        const running = new Running();
        const { next } = seededRandom(seed);
        const options: SharingOptions = {
          running,
          ms: () => 1 + Math.floor(next() * 60),
          settings: { limits: { concurrency: provider, rate: null } },
          pool: {
            limits: { concurrency: protocol, rate: null },
            per_key: key === null ? null : { key: 'params.user', concurrency: key, rate: null },
          },
          isDeaf: () => next() < given.deaf,
        };
        const engines: Sharing[] = [];
        for (let count = 0; count < given.engines; count++) engines.push(await sharing(here, options));
        const ids: string[] = [];
        for (const [index, { user, by, after }] of tasks.entries()) {
          const { engine } = (engines[by % engines.length] ?? (engines[0] as Sharing)).site;
          const task = { protocol: 'test/v1', method: 'echo', ...once, params: { user } };
          const { tasks: accepted } = await here.time.until(engine.submit(task));
          ids.push(accepted[0]?.[1] ?? '');
          await here.time.advance(after);
          if (index % 10 !== 9) continue;
          const change = changes.pop();
          if (change === 'comes') engines.push(await sharing(here, options));
          const gone = change === 'goes' && engines.length > 1 ? engines.shift() : undefined;
          if (gone !== undefined) await here.time.until(gone.site.engine.stop(1000));
        }
        await here.time.advance(120_000);
        expect(ids.filter((id) => here.row(id).settled_at === null)).toEqual([]);
        const all = Math.min(protocol ?? 99, provider ?? 99);
        expect(running.most.get('all') ?? 0).toBeLessThanOrEqual(all);
        for (let user = 0; user < 5; user++)
          expect(running.most.get(`user ${user}`) ?? 0).toBeLessThanOrEqual(key ?? 99);
      }),
      { numRuns: 40 },
    );
  });
});
