import { describe, expect, it } from 'vitest';
import { HedgeWorld } from './hedge.suite.ts';

describe('a call that was made to two providers', () => {
  it('makes the slow one known as slow', async () => {
    const world = new HedgeWorld({ after: 100, max: 1 }, { select: 'latency' });
    world.provider('a', () => ({ ms: 5000 }));
    world.provider('b', () => ({ ms: 1 }));
    for (let call = 0; call < 20; call++) await world.time.until(world.send().over);
    expect(world.status('a').calls).toBeLessThan(5);
  });

  it('says nothing of how slow those are that came later and were not needed', async () => {
    const world = new HedgeWorld({ after: 100, max: 1 }, { select: 'latency' });
    world.provider('first', () => ({ ms: 150 }));
    world.provider('later', () => ({ ms: 5000 }));
    await world.time.until(world.send().over);
    await world.time.until(world.send().over);
    expect(world.calls).toEqual(['first t', 'later t', 'first t', 'later t']);
  });
});
