import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST } from '../core/pool/hedge.ts';
import { HedgeWorld } from './hedge.suite.ts';
import { answered, failed, lots } from './queue.suite.ts';

const world = fc.record({
  providers: fc.array(
    fc.record({
      concurrency: fc.option(fc.integer({ min: 1, max: 6 })),
      slowest: fc.integer({ min: 1, max: 600 }),
      fails: fc.constantFrom(0, 0, 0.3),
      tier: fc.nat(1),
      deaf: fc.boolean(),
    }),
    { minLength: 2, maxLength: 5 },
  ),
  hedge: fc.record({
    after: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constant('p95' as const)),
    max: fc.integer({ min: 1, max: 3 }),
  }),
  select: fc.constantFrom('latency', 'round_robin', 'least_in_flight'),
  calls: fc.array(
    fc.record({ after: fc.nat(30), timeout_ms: fc.integer({ min: 50, max: 2000 }), twice: fc.boolean() }),
    { minLength: 1, maxLength: 80 },
  ),
  seed: fc.nat(),
});

describe('whatever the providers, delays and failures', () => {
  it('every call ends once and in time, places come back, limits hold, and few calls are made twice', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ providers, hedge, select, calls, seed }) => {
        const here = new HedgeWorld(hedge, { select }, seed);
        const draw = lots(seed + 1);
        for (const [index, { concurrency, slowest, fails, tier, deaf }] of providers.entries())
          here.provider(
            `p${index}`,
            () => ({
              ms: 1 + Math.floor(draw() * slowest),
              answer: draw() < fails ? failed('GLZ2010') : answered,
              deaf,
            }),
            { tier, limits: { concurrency, rate: null } },
          );
        const ended: string[] = [];
        let made = 0;
        for (const [index, { after, timeout_ms, twice }] of calls.entries()) {
          await here.time.advance(after);
          const began = here.time.monotonic();
          try {
            const { over } = here.send(
              { method: twice ? 'get' : 'put' },
              { call_id: `c${index}`, timeout_ms },
            );
            made++;
            void over.then(({ answer, by }) => {
              ended.push(`c${index}`);
              const took = here.time.monotonic() - began;
              expect(took).toBeLessThanOrEqual(timeout_ms);
              // Whoever is named has been asked.
              expect(here.calls).toContain(`${by} c${index}`);
              if (answer.word === 'done') expect(took).toBeLessThanOrEqual(timeout_ms);
            });
          } catch (thrown) {
            expect(String(thrown)).toMatch(/waits for/);
          }
        }
        await here.time.advance(100_000);
        expect(ended.toSorted()).toEqual([...new Set(ended)].toSorted());
        expect(ended).toHaveLength(made);
        expect(here.time.pending).toBe(0);
        const hedges = here.ended.filter(({ hedge: further }) => further);
        expect(hedges.every(({ method }) => method === 'get')).toBe(true);
        expect(hedges.length).toBeLessThanOrEqual(MOST + made / 10);
        for (const [index, { concurrency, deaf }] of providers.entries()) {
          const { in_flight, concurrency: places } = here.status(`p${index}`);
          expect([in_flight, places?.left ?? null]).toEqual([0, concurrency]);
          // One that does not heed its signal still works on what nobody waits for any more.
          if (!deaf) expect(here.most.get(`p${index}`) ?? 0).toBeLessThanOrEqual(concurrency ?? 1000);
        }
        // Each call went to a provider at most once.
        expect(new Set(here.calls).size).toBe(here.calls.length);
        await here.pools.stop();
      }),
      { numRuns: 100 },
    );
  });
});
