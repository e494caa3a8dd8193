import { describe, expect, it } from 'vitest';
import { nobodyCame } from '../core/ports/router.ts';
import { heldProvider, setUp } from './pools.suite.ts';
import { failed, poolOf, settingsOf, TestQueue } from './queue.suite.ts';

const tasks = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ id: `t${index}`, ...more }));
const limits = (concurrency: number | null, rate: { per_ms: number; burst: number } | null = null) => ({
  concurrency,
  rate,
});

const request = { protocol: 'a/v1', method: 'echo', params: {}, task_id: 't', workflow_id: null, avoid: [] };

describe('a provider with a limit of calls at once', () => {
  it('gets so many and no more; the others wait in its line and come in their order', async () => {
    const queue = new TestQueue();
    const seen = queue.provider('one', () => ({ ms: 10 }), { settings: { limits: limits(2) } });
    await queue.time.settle();
    queue.submit(...tasks(6));
    expect(queue.waiting()).toEqual(
      ['t2', 't3', 't4', 't5'].map((id) => `${id}: line concurrency provider one`),
    );
    expect(queue.pools.waiting()).toContainEqual({ protocol: 'a/v1', kind: 'concurrency', waiting: 4 });
    await queue.time.advance(30);
    expect(queue.calls).toEqual(tasks(6).map(({ id }) => `${id} one`));
    expect(seen.most).toBe(2);
    expect(queue.waits).toBe(4);
  });

  it('leaves no timer behind once everything is done', async () => {
    const queue = new TestQueue();
    queue.provider('one', () => ({ ms: 10 }), { settings: { limits: limits(1) } });
    queue.submit(...tasks(3));
    await queue.time.advance(5000);
    expect([queue.results.size, queue.time.pending]).toEqual([3, 0]);
  });

  it('does not let those overtake who come when somebody has been called', () => {
    const queue = new TestQueue();
    queue.provider('one', () => ({ ms: 10 }), { settings: { limits: limits(1) } });
    const first = queue.pools.route({ ...request, called: false });
    queue.pools.route({ ...request, called: false });
    if (first.word === 'go') first.passage.leave();
    expect(queue.pools.route({ ...request, called: false }).word).toBe('wait');
    expect(queue.pools.route({ ...request, called: true }).word).toBe('go');
  });

  it('gets them all where nobody would hear that a line is called', () => {
    const { pools } = setUp();
    pools.connect(heldProvider('one').provider, { settings: settingsOf({ limits: limits(1) }) });
    const words = Array.from({ length: 3 }, () => pools.route({ ...request, called: false }).word);
    expect(words).toEqual(['go', 'go', 'go']);
  });

  it('keeps no place for somebody who is not there any more', async () => {
    const queue = new TestQueue();
    queue.provider('one', () => ({ ms: 10 }), { settings: { limits: limits(1) } });
    queue.submit(...tasks(5));
    queue.parked.clear();
    await queue.time.advance(20);
    queue.submit({ id: 'late' });
    await queue.time.advance(20);
    expect(queue.results.has('late')).toBe(true);
  });

  it('keeps a place only so long for somebody who was called and does not come', async () => {
    const { pools, time } = setUp();
    pools.connect(heldProvider('one').provider, { settings: settingsOf({ limits: limits(1) }) });
    pools.onRoom(async (_line, places) => ({ count: places, more: 0 }));
    const words = () => pools.route({ ...request, called: false }).word;
    const first = pools.route({ ...request, called: false });
    expect(words()).toBe('wait');
    if (first.word === 'go') first.passage.leave();
    await time.advance(9999);
    expect(words()).toBe('wait');
    await time.advance(1);
    await time.advance(20_000);
    expect(words()).toBe('go');
    await time.until(pools.stop());
  });

  it('takes other limits without losing count of the calls it has', async () => {
    const queue = new TestQueue();
    const seen = queue.provider('one', () => ({ ms: 10 }), { settings: { limits: limits(3) } });
    queue.submit(...tasks(8));
    queue.pools.adjust('one', settingsOf({ limits: limits(1) }));
    queue.pools.adjust('nobody', settingsOf());
    await queue.time.advance(9);
    expect(seen.running).toBe(3);
    await queue.time.advance(2);
    expect(seen.running).toBe(1);
    queue.pools.adjust('one', settingsOf());
    await queue.time.advance(200);
    expect(queue.results.size).toBe(8);
  });
});

describe('a provider that hangs', () => {
  it('holds up nobody of another protocol, and nobody that another provider can serve', async () => {
    const queue = new TestQueue();
    queue.provider('hung', () => ({ ms: 1e9 }), { settings: { limits: limits(4) } });
    queue.provider('well', () => ({ ms: 5 }), { protocol: 'b/v1' });
    queue.submit(...tasks(100));
    queue.submit(...tasks(100).map(({ id }) => ({ id: `b${id}`, protocol: 'b/v1' })));
    await queue.time.advance(10);
    expect([queue.results.size, queue.waiting().length]).toEqual([100, 96]);
    queue.provider('two', () => ({ ms: 5 }), { settings: { limits: limits(10) } });
    await queue.time.advance(2000);
    expect(queue.results.size).toBe(196);
  });
});

describe('a rate', () => {
  it('is never exceeded, and nobody waits longer than it demands', async () => {
    const queue = new TestQueue();
    const seen = queue.provider('one', () => ({ ms: 1 }), {
      settings: { limits: limits(null, { per_ms: 0.01, burst: 2 }) },
    });
    queue.submit(...tasks(12));
    expect(queue.waiting()[0]).toBe('t2: line rate provider one');
    await queue.time.advance(1001);
    expect(queue.results.size).toBe(12);
    expect(seen.times).toEqual([0, 0, ...Array.from({ length: 10 }, (_, index) => (index + 1) * 100)]);
  });

  it('of a protocol counts for all its providers, and slows down no other', async () => {
    const queue = new TestQueue();
    for (const id of ['one', 'two']) queue.provider(id, () => ({ ms: 1 }));
    queue.provider('three', () => ({ ms: 1 }), { protocol: 'b/v1' });
    queue.pools.configure('a/v1', poolOf({ limits: limits(null, { per_ms: 0.01, burst: 1 }) }));
    queue.submit(...tasks(5), ...tasks(5).map(({ id }) => ({ id: `b${id}`, protocol: 'b/v1' })));
    expect(queue.waiting()[0]).toBe('t1: line rate protocol a/v1');
    await queue.time.advance(10);
    expect(queue.results.size).toBe(6);
    await queue.time.advance(400);
    expect(queue.results.size).toBe(10);
  });

  it('that is lifted lets all who wait come', async () => {
    const queue = new TestQueue();
    queue.provider('one', () => ({ ms: 1 }));
    const slow = { per_ms: 0.0001, burst: 1 };
    queue.pools.configure(
      'a/v1',
      poolOf({ limits: limits(null, slow), per_key: { key: 'params.user', ...limits(null, slow) } }),
    );
    queue.submit(
      ...tasks(9),
      ...tasks(9, { params: { user: 7 } }).map((task) => ({ ...task, id: `k${task.id}` })),
    );
    expect(queue.waiting().at(-1)).toBe('kt8: line rate protocol a/v1 user=7');
    queue.pools.configure('a/v1', poolOf());
    await queue.time.advance(100);
    expect(queue.results.size).toBe(18);
  });
});

describe('who serves what', () => {
  it('is asked only for models it has; without them it waits until somebody has it', async () => {
    const queue = new TestQueue();
    queue.provider('small', () => ({ ms: 1 }), { settings: { models: ['s'] } });
    queue.provider('large', () => ({ ms: 1 }), { settings: { models: ['l', 'xl'] } });
    const of = (id: string, model: string) => ({ id, params: { model } });
    queue.submit(of('a', 'l'), of('b', 's'), of('c', 'xl'), of('d', 'none'));
    expect(queue.calls).toEqual(['a large', 'b small', 'c large']);
    expect([queue.waiting(), queue.unserved.map(({ id }) => id)]).toEqual([[], ['d']]);
    expect(() => queue.pools.route({ ...request, params: { model: 'none' }, called: false })).toThrow(
      expect.objectContaining({
        code: 'GLZ2007',
        message: 'no provider for a/v1 echo serves the model none',
        details: expect.objectContaining({ field: '/params/model', reason: 'served are l, s, xl' }),
      }),
    );
    await queue.time.advance(5);
    queue.provider('any', () => ({ ms: 1 }));
    await queue.time.advance(5);
    expect(queue.calls.at(-1)).toBe('d any');
  });

  it('is missed by those who wait for a model as soon as the last one that has it goes', async () => {
    const queue = new TestQueue();
    const settings = { models: ['l'], limits: limits(1) };
    queue.provider('large', () => ({ ms: 50 }), { settings });
    queue.provider('small', () => ({ ms: 1 }), { settings: { models: ['s'] } });
    queue.submit(...tasks(3, { params: { model: 'l' } }));
    expect(queue.waiting()).toHaveLength(2);
    void queue.pools.disconnect('large');
    await queue.time.advance(20_000);
    expect([queue.waiting(), queue.unserved.length]).toEqual([[], 2]);
  });

  it('names only some of many models', () => {
    const queue = new TestQueue();
    const models = Array.from({ length: 30 }, (_, index) => `m${index}`);
    queue.provider('one', () => ({ ms: 1 }), { settings: { models } });
    expect(() => queue.pools.route({ ...request, params: { model: 'none' }, called: false })).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ reason: expect.stringMatching(/ and 10 more$/) }),
      }),
    );
  });

  it('is asked again last by a task that it failed', async () => {
    const queue = new TestQueue();
    queue.attempts = 3;
    queue.provider('one', () => ({ ms: 1, answer: failed('GLZ2001') }));
    queue.provider('two', () => ({ ms: 1, answer: failed('GLZ2001') }), { settings: { tier: 1 } });
    queue.submit({ id: 't' });
    await queue.time.advance(10);
    expect(queue.calls).toEqual(['t one', 't two', 't one']);
  });

  it('stays with a key as long as it is there', async () => {
    const queue = new TestQueue();
    for (const id of ['one', 'two', 'three']) queue.provider(id, () => ({ ms: 1 }));
    queue.pools.configure('a/v1', poolOf({ select: 'sticky', sticky_by: 'params.user' }));
    for (let turn = 0; turn < 10; turn++) queue.submit({ id: `t${turn}`, params: { user: 'x' } });
    expect(new Set(queue.calls.map((call) => call.split(' ')[1])).size).toBe(1);
  });
});

describe('those who waited before a restart', () => {
  it('are all called, although nobody knows of them', async () => {
    const queue = new TestQueue();
    queue.parked.set(
      'line concurrency provider one',
      tasks(500).map((task) => ({ ...task })),
    );
    const seen = queue.provider('one', () => ({ ms: 20 }), { settings: { limits: limits(50) } });
    await queue.time.advance(3000);
    expect([queue.results.size, seen.most > 25, seen.most <= 50]).toEqual([500, true, true]);
    expect(queue.time.pending).toBe(0);
  });

  it('hear that their provider is gone', async () => {
    const queue = new TestQueue();
    queue.provider('one', () => ({ ms: 10 }), { settings: { limits: limits(1) } });
    queue.submit(...tasks(10));
    void queue.pools.disconnect('one');
    await queue.time.advance(5);
    expect([queue.unserved.length, queue.waiting()]).toEqual([9, []]);
    queue.provider('one', () => ({ ms: 10 }));
    await queue.time.advance(50);
    expect(queue.results.size).toBe(10);
  });
});

describe('a long line behind a rate', () => {
  it('is called for several at a time, and nothing of the rate is lost', async () => {
    const queue = new TestQueue();
    const limits = { concurrency: null, rate: { per_ms: 0.01, burst: 10 } };
    const seen = queue.provider('one', () => ({ ms: 1 }), { settings: { limits } });
    const rings: number[] = [];
    queue.pools.onRoom(async (_, places) => {
      rings.push(places);
      return nobodyCame;
    });
    queue.submit(...Array.from({ length: 1200 }, (_, index) => ({ id: `t${index}` })));
    await queue.time.advance(50_000);
    expect(seen.times.length).toBeGreaterThan(10 + 490);
    expect(rings.length).toBeLessThan(100);
    await queue.time.advance(100_000);
    expect(queue.results.size).toBe(1200);
    // Towards its end each comes as soon as it may.
    const last = seen.times.slice(-20);
    for (const [index, at] of last.slice(1).entries()) expect(at - (last[index] ?? 0)).toBeLessThan(150);
  });
});
