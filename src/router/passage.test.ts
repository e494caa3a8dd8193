import { describe, expect, it } from 'vitest';
import type { Passage } from '../core/ports/router.ts';
import { HedgeWorld, request } from './hedge.suite.ts';
import { heldProvider, setUp } from './pools.suite.ts';
import { failed } from './queue.suite.ts';

describe('a place whose call somebody else makes', () => {
  it('says how its provider is called', () => {
    const { pools, route } = setUp();
    const { provider } = heldProvider('one');
    pools.connect({ ...provider, via: 'bridge' });
    expect(route().passage.provider).toMatchObject({ id: 'one', via: 'bridge' });
  });

  it('tells the pool how it went, once', async () => {
    const { time, pools, route } = setUp();
    pools.connect(heldProvider('one').provider);
    const { passage } = route();
    passage.heard?.(failed('GLZ2004', 5000), 12);
    passage.heard?.({ word: 'done', result: '1' }, 12);
    passage.leave();
    expect(pools.status('one')?.paused_until).not.toBeNull();
    await time.advance(5001);
    expect(pools.status('one')?.paused_until).toBeNull();
  });

  it('is the same where a second provider could be asked as well', () => {
    const world = new HedgeWorld();
    world.provider('one', () => ({ ms: 1 }));
    world.provider('two', () => ({ ms: 1 }));
    const routed = world.pools.route(request);
    expect(routed.word).toBe('go');
    const { passage } = routed as { passage: Passage };
    expect(passage.provider.via).toBeUndefined();
    passage.heard?.(failed('GLZ2004', 5000), 12);
    passage.leave();
    expect(world.pools.status(passage.provider.id)?.paused_until).not.toBeNull();
  });
});
