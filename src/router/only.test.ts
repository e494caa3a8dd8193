import { describe, expect, it } from 'vitest';
import { HedgeWorld, request } from './hedge.suite.ts';
import { answered, failed, poolOf, settingsOf, TestQueue } from './queue.suite.ts';
import { createRouter } from './router.ts';

const oneAtOnce = { limits: { concurrency: 1, rate: null } };
const none = { ...request, only: 'third' };

describe('a call for one provider alone', () => {
  it('goes to that one, however often it failed there and however free others are', async () => {
    const queue = new TestQueue();
    queue.attempts = 3;
    queue.provider('first', () => ({ ms: 10, answer: failed('GLZ2010') }));
    queue.provider('second', () => ({ ms: 10 }));
    queue.submit({ id: 'a', only: 'first' }, { id: 'b', only: 'first' });
    await queue.time.advance(1000);
    expect(queue.calls).toEqual(['a first', 'b first', 'a first', 'b first', 'a first', 'b first']);
    expect(queue.results.size).toBe(2);
  });

  it('waits in a line of its own for that one, while others are taken by whoever is free', async () => {
    const queue = new TestQueue();
    const first = queue.provider('first', () => ({ ms: 100 }), { settings: oneAtOnce });
    queue.submit({ id: 'a', only: 'first' }, { id: 'b', only: 'first' }, { id: 'c', only: 'first' });
    expect(queue.waiting()).toEqual([
      'b: line concurrency only first for echo',
      'c: line concurrency only first for echo',
    ]);
    // Somebody who comes later is no room for those who wait for the first alone.
    queue.provider('second', () => ({ ms: 10 }), { settings: oneAtOnce });
    queue.submit({ id: 'd' });
    await queue.time.advance(50);
    expect(queue.calls).toEqual(['a first', 'd second']);
    await queue.time.advance(1000);
    expect(queue.calls).toEqual(['a first', 'd second', 'b first', 'c first']);
    expect(first.most).toBe(1);
    expect(queue.results.get('c')).toEqual(answered);
    // Told to wait once when they came, and once more each when the second provider was announced.
    expect(queue.waits).toBeLessThanOrEqual(4);
  });

  it('is not taken past its limits where its provider rests', async () => {
    const queue = new TestQueue();
    queue.provider('first', () => ({ ms: 10 }));
    queue.provider('second', () => ({ ms: 10 }));
    queue.pools.drain('first');
    queue.submit({ id: 'a', only: 'first' });
    await queue.time.advance(1000);
    expect(queue.waiting()).toEqual(['a: line drained only first for echo']);
    queue.pools.resume('first');
    await queue.time.advance(1000);
    expect(queue.calls).toEqual(['a first']);
  });

  it('hears that its provider is gone while it waited, and comes when there is one again', async () => {
    const queue = new TestQueue();
    queue.provider('first', () => ({ ms: 100 }), { settings: oneAtOnce });
    queue.provider('second', () => ({ ms: 100 }));
    queue.submit({ id: 'a', only: 'first' }, { id: 'b', only: 'first' });
    void queue.pools.disconnect('first');
    await queue.time.advance(1000);
    expect(queue.unserved.map(({ id }) => id)).toEqual(['b']);
    queue.provider('first', () => ({ ms: 10 }));
    await queue.time.advance(1000);
    expect(queue.calls).toEqual(['a first', 'b first']);
  });

  it('is never made twice, where calls of others are', async () => {
    const world = new HedgeWorld();
    world.provider('first', () => ({ ms: 500 }));
    world.provider('second', () => ({ ms: 10 }));
    const { over } = world.send({ only: 'first' });
    await world.time.advance(1000);
    expect((await over).by).toBe('first');
    expect(world.calls).toEqual(['first t']);
    const other = world.send({ avoid: ['second'] });
    await world.time.advance(1000);
    expect((await other.over).by).toBe('second');
    expect(world.hedges).toEqual(['a/v1 won']);
  });

  it('says who is missing where that one is not there, in pools and in the plain router', () => {
    const world = new HedgeWorld();
    world.provider('first', () => ({ ms: 1 }));
    const provider = {
      id: 'first',
      protocol: 'a/v1',
      hasMethod: () => true,
      call: async () => answered,
    };
    const missing = expect.objectContaining({
      code: 'GLZ2007',
      message: 'no provider third for a/v1 get',
      details: { hint: 'connect third: the call is for nobody else' },
    });
    for (const router of [world.pools, createRouter([provider, { ...provider, id: 'second' }])]) {
      expect(() => router.route(none)).toThrow(missing);
      expect(router.route({ ...request, only: 'first' })).toMatchObject({
        word: 'go',
        passage: { provider: { id: 'first' } },
      });
    }
  });

  it('keeps to the limits of its protocol too', async () => {
    const queue = new TestQueue();
    queue.pools.configure('a/v1', poolOf(oneAtOnce));
    queue.provider('first', () => ({ ms: 10 }), { settings: settingsOf() });
    queue.provider('second', () => ({ ms: 10 }));
    queue.submit({ id: 'a', only: 'first' }, { id: 'b', only: 'second' });
    expect(queue.waiting()).toEqual(['b: line concurrency protocol a/v1']);
    await queue.time.advance(1000);
    expect(queue.calls).toEqual(['a first', 'b second']);
  });
});
