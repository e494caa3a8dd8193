import { describe, expect, it } from 'vitest';
import { defaultBreaker } from '../core/pool/breaker.ts';
import { HedgeWorld } from './hedge.suite.ts';

describe('a call that was made to two providers', () => {
  it('makes the slow one known as slow', async () => {
    const world = new HedgeWorld({ after: 100, max: 1 }, { select: 'latency' });
    world.provider('a', () => ({ ms: 5000 }));
    world.provider('b', () => ({ ms: 1 }));
    for (let call = 0; call < 20; call++) await world.time.until(world.send().over);
    expect(world.status('a').calls).toBeLessThan(5);
  });

  it('is waited for as long as most calls take, those counted that never had an answer', async () => {
    const world = new HedgeWorld({ after: 'p95', max: 1 });
    let ms = 10;
    const breaker = { ...defaultBreaker, failures: 1000, failure_rate: 1, least_calls: 1000 };
    world.provider('usual', () => ({ ms }), { breaker });
    world.provider('other', () => ({ ms: 5 }), { tier: 1 });
    world.pools.drain('other');
    for (let call = 0; call < 20; call++) await world.time.until(world.send().over);
    ms = 1e6;
    for (let call = 0; call < 20; call++) await world.time.until(world.send({}, { timeout_ms: 400 }).over);
    world.pools.resume('other');
    const before = world.time.monotonic();
    const { by } = await world.time.until(world.send().over);
    expect([by, world.time.monotonic() - before]).toEqual(['other', 405]);
  });

  it('says nothing of how slow those are that came later and were not needed', async () => {
    const world = new HedgeWorld({ after: 100, max: 1 }, { select: 'latency' });
    world.provider('first', () => ({ ms: 150 }));
    world.provider('later', () => ({ ms: 5000 }), { tier: 1 });
    await world.time.until(world.send().over);
    expect(world.calls).toEqual(['first t', 'later t']);
    world.provider('other', () => ({ ms: 1 }), { tier: 1 });
    for (let call = 0; call < 2; call++) await world.time.until(world.send({ only: 'other' }).over);
    world.pools.drain('first');
    // Of these two, `later` would be as good as never chosen, were it known to take as long as it had.
    expect(world.send().id).toBe('later');
  });
});
