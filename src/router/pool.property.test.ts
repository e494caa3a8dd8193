import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answered, failed, lots, poolOf, TestQueue } from './queue.suite.ts';

const rate = fc.option(
  fc.record({
    per_ms: fc.double({ min: 0.005, max: 0.2, noNaN: true }),
    burst: fc.integer({ min: 1, max: 5 }),
  }),
);
const limits = fc.record({ concurrency: fc.option(fc.integer({ min: 1, max: 4 })), rate });

const world = fc.record({
  providers: fc.array(
    fc.record({
      limits,
      ms: fc.integer({ min: 1, max: 50 }),
      fails: fc.constantFrom(0, 0, 0.3, 0.9),
      tier: fc.nat(1),
      models: fc.constantFrom(null, ['x'], ['x', 'y']),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  pool: fc.record({
    select: fc.constantFrom('latency', 'round_robin', 'least_in_flight', 'sticky'),
    limits,
    keyed: fc.option(limits),
  }),
  tasks: fc.array(
    fc.record({
      user: fc.integer({ min: 1, max: 3 }),
      model: fc.constantFrom('x', 'y', null),
      method: fc.constantFrom('echo', 'sing'),
      after: fc.nat(20),
    }),
    { minLength: 1, maxLength: 60 },
  ),
  /** Tasks that disappear while they wait, as those do that somebody cancels. */
  cancelled: fc.nat(5),
  seed: fc.nat(),
});

describe('whatever the limits, providers and failures', () => {
  it('nobody waits for ever, and no limit is exceeded', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ providers, pool, tasks, cancelled, seed }) => {
        const queue = new TestQueue(seed);
        const draw = lots(seed + 1);
        const running = new Map<string, number>();
        const most = new Map<string, number>();
        const count = (key: string, by: number) => {
          running.set(key, (running.get(key) ?? 0) + by);
          most.set(key, Math.max(most.get(key) ?? 0, running.get(key) ?? 0));
        };
        const seen = providers.map(({ limits: own, ms, fails, tier, models }, index) => {
          const answer = ({ params }: { params: object }) => {
            const user = `user ${'user' in params ? params.user : 0}`;
            for (const key of [user, 'all']) count(key, 1);
            queue.time.after(ms, () => {
              for (const key of [user, 'all']) count(key, -1);
            });
            return { ms, answer: draw() < fails ? failed('GLZ2001') : answered };
          };
          return queue.provider(`p${index}`, answer, { settings: { limits: own, tier, models } });
        });
        // Somebody has every model, or some would wait for ever and rightly so.
        queue.provider('last', () => ({ ms: 5 }), { settings: { tier: 9 } });
        const { keyed, ...shape } = pool;
        const per_key = keyed === null ? null : { key: 'params.user', ...keyed };
        queue.pools.configure('a/v1', poolOf({ ...shape, sticky_by: 'params.user', per_key }));
        for (const [index, { user, model, method, after }] of tasks.entries()) {
          queue.submit({ id: `t${index}`, method, params: { user, ...(model === null ? {} : { model }) } });
          await queue.time.advance(after);
        }
        let gone = 0;
        for (const line of queue.parked.values())
          while (gone < cancelled && line.length > 1) gone += line.splice(0, 1).length;
        await queue.time.advance(600_000);
        expect(queue.waiting()).toEqual([]);
        expect(queue.results.size).toBe(tasks.length - gone);
        expect(queue.time.pending).toBe(0);
        for (const [index, { limits: own }] of providers.entries())
          expect(seen[index]?.most).toBeLessThanOrEqual(own.concurrency ?? Number.POSITIVE_INFINITY);
        const all = pool.limits.concurrency ?? Number.POSITIVE_INFINITY;
        expect(most.get('all') ?? 0).toBeLessThanOrEqual(all);
        for (const user of [1, 2, 3])
          expect(most.get(`user ${user}`) ?? 0).toBeLessThanOrEqual(
            keyed?.concurrency ?? Number.POSITIVE_INFINITY,
          );
        for (const [index, { limits: own }] of providers.entries())
          if (own.rate !== null) expectRate(seen[index]?.times ?? [], own.rate);
      }),
      { numRuns: 60 },
    );
  });
});

/** Between any two calls no more than the burst and what came meanwhile. */
function expectRate(times: readonly number[], { per_ms, burst }: { per_ms: number; burst: number }): void {
  for (const [first, from] of times.entries())
    for (let last = first; last < times.length; last++)
      expect(last - first + 1).toBeLessThanOrEqual(burst + ((times[last] ?? 0) - from) * per_ms + 1e-3);
}
