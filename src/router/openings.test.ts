import { describe, expect, it } from 'vitest';
import type { Answer } from '../core/answer.ts';
import { defaultBreaker } from '../core/pool/breaker.ts';
import { cooling, ill, opened, SECOND, stateOf, tasks, world } from './openings.suite.ts';
import { answered, settingsOf, type TestQueue } from './queue.suite.ts';

describe('a breaker that was open when the process ended', () => {
  it('is open for what remains of its time, and then few try for many', async () => {
    const { life } = world();
    await opened(await life());
    const next = await life(10 * SECOND);
    const seen = next.provider('one', () => ({ ms: 1, answer: ill }), { settings: cooling });
    next.submit(...tasks(200));
    expect(stateOf(next)).toEqual(['open']);
    // A fifth of the time at most is left to chance.
    await next.time.advance(13 * SECOND);
    expect(seen.times).toHaveLength(0);
    await next.time.advance(8 * SECOND);
    expect(seen.times).toHaveLength(1);
    // It goes on where it was: in peace for twice as long.
    await next.time.advance(40 * SECOND);
    expect(seen.times).toHaveLength(1);
    await next.time.advance(21 * SECOND);
    expect(seen.times).toHaveLength(2);
  });

  it('lets as few try where its time was over meanwhile, or somebody was just trying', async () => {
    const { life } = world();
    await opened(await life());
    for (const at of [31 * SECOND, 24 * 3600 * SECOND]) {
      const next = await life(at);
      const seen = next.provider('one', () => ({ ms: 100, answer: answered }), { settings: cooling });
      next.submit(...tasks(200));
      await next.time.advance(99);
      expect(seen.times).toHaveLength(1);
    }
    const last = await life(24 * 3600 * SECOND);
    last.provider('one', () => ({ ms: 1 }), { settings: cooling });
    last.submit(...tasks(200));
    await last.time.advance(SECOND);
    expect(last.results.size).toBe(200);
  });

  it('keeps nobody waiting for ever who came to wait for something else in the earlier life', async () => {
    const { life } = world();
    await opened(await life());
    const next = await life(SECOND);
    next.parked.set('line breaker provider one for echo', tasks(50, 'b'));
    next.parked.set('line concurrency provider one', tasks(50, 'c'));
    next.provider('one', () => ({ ms: 1 }), { settings: cooling });
    await next.time.advance(22 * SECOND);
    expect(next.calls).toEqual([]);
    await next.time.advance(20 * SECOND);
    expect(next.results.size).toBe(100);
  });

  it('is for the method that failed, of the provider that failed', async () => {
    const { life } = world();
    await opened(await life());
    const next = await life(SECOND);
    for (const id of ['one', 'two'])
      next.provider(id, () => ({ ms: 1 }), { settings: cooling, protocol: `${id}/v1` });
    const calls = [
      { id: 'same', protocol: 'one/v1' },
      { id: 'other method', protocol: 'one/v1', method: 'other' },
      { id: 'other provider', protocol: 'two/v1' },
    ];
    next.submit(...calls);
    await next.time.advance(10);
    expect([...next.results.keys()]).toEqual(['other method', 'other provider']);
    expect(next.waiting()).toEqual(['same: line breaker provider one for echo']);
  });

  it('is open for no longer than it would be now, whatever becomes of settings and clock', async () => {
    const { life } = world();
    await opened(await life());
    const leftIn = async (at: number, most: number) => {
      const next = await life(at);
      const breaker = { ...defaultBreaker, most_cool_down_ms: most };
      next.provider('one', () => ({ ms: 1 }), { settings: settingsOf({ breaker }) });
      return (next.pools.status('one')?.next_probe ?? 0) - next.time.wall();
    };
    const whole = await leftIn(0, 60 * SECOND);
    expect(whole).toBeGreaterThanOrEqual(24 * SECOND);
    expect(await leftIn(-3600 * SECOND, 60 * SECOND)).toBeLessThanOrEqual(whole);
    expect(await leftIn(0, 3 * SECOND)).toBe(3 * SECOND);
  });

  it('is closed where it had closed, where somebody had resumed it, and where the provider is another', async () => {
    const ends: ((queue: TestQueue) => Promise<unknown>)[] = [
      async (queue) => {
        queue.submit({ id: 'well' });
        await queue.time.advance(31 * SECOND);
        expect(stateOf(queue)).toEqual(['closed']);
      },
      async (queue) => queue.pools.resume('one'),
      async (queue) => queue.provider('one', () => ({ ms: 1 })),
      (queue) => queue.pools.disconnect('one'),
    ];
    for (const end of ends) {
      const { life, text, keys } = world();
      let calls = 0;
      const first = await life();
      await opened(first, () => (calls++ < 5 ? ill : answered));
      expect(keys()).toEqual(['one echo']);
      await end(first);
      await first.time.settle();
      expect(text()).toBe('{}');
      const next = await life(SECOND);
      next.provider('one', () => ({ ms: 1 }), { settings: cooling });
      expect(stateOf(next)).toEqual([]);
    }
  });

  it('is not what becomes of the calls of a provider that goes', async () => {
    const { life, text } = world();
    const queue = await life();
    queue.provider('one', () => ({ ms: 100, answer: ill }), { settings: cooling });
    queue.submit(...tasks(5));
    queue.provider('one', () => ({ ms: 1 }), { settings: cooling });
    await queue.time.advance(200);
    expect([queue.results.size, text()]).toEqual([5, '{}']);
    queue.provider('two', () => ({ ms: 100, answer: ill }), { settings: cooling, protocol: 'b/v1' });
    queue.submit(...tasks(5, 'b').map((task) => ({ ...task, protocol: 'b/v1' })));
    const stopped = queue.pools.stop(1);
    await queue.time.advance(200);
    await stopped;
    expect(text()).toBe('{}');
  });
});

describe('a provider that did not answer when the process ended', () => {
  const health = { every_ms: 4 * SECOND, timeout_ms: SECOND, method: 'ping' };
  /** Whose calls were made, and how often it was asked. */
  const connect = (queue: TestQueue, answer: () => { ms: number; answer?: Answer }) => {
    const seen = { calls: 0, asked: 0 };
    queue.provider(
      'one',
      ({ method }) => {
        if (method !== 'ping') seen.calls++;
        else seen.asked++;
        return method === 'ping' ? answer() : { ms: 1 };
      },
      { settings: { health } },
    );
    return seen;
  };
  const stateNow = (queue: TestQueue) => queue.pools.status('one')?.state;
  const fallen = async (life: () => Promise<TestQueue>) => {
    const queue = await life();
    connect(queue, () => ({ ms: 1, answer: ill }));
    await queue.time.advance(3 * SECOND);
    expect(stateNow(queue)).toBe('unhealthy');
    return queue;
  };

  it('gets no calls before it has answered, however long that takes', async () => {
    const { life } = world();
    await fallen(life);
    const next = await life(24 * 3600 * SECOND);
    next.parked.set('line unhealthy provider one for echo', tasks(200, 'parked'));
    let well = false;
    const seen = connect(next, () => (well ? { ms: 1 } : { ms: 10 * SECOND }));
    next.submit(...tasks(200));
    await next.time.advance(60 * SECOND);
    expect([seen.calls, stateNow(next)]).toEqual([0, 'unhealthy']);
    well = true;
    await next.time.advance(6 * SECOND);
    expect([next.results.size, stateNow(next)]).toEqual([400, 'connected']);
  });

  it('is asked at once, and one answer is enough', async () => {
    const { life, text } = world();
    await fallen(life);
    const next = await life(SECOND);
    const seen = connect(next, () => ({ ms: 1 }));
    next.submit({ id: 't' });
    expect(stateNow(next)).toBe('unhealthy');
    await next.time.advance(10);
    expect([seen, next.results.size, text()]).toEqual([{ asked: 1, calls: 1 }, 1, '{}']);
  });

  it('is kept until it answers, also where somebody resumes it meanwhile', async () => {
    const { life, keys, seen } = world();
    const queue = await fallen(life);
    expect([keys(), seen.writes]).toEqual([['one '], 1]);
    queue.pools.resume('one');
    await queue.time.advance(5 * SECOND);
    expect([keys(), stateNow(queue), stateOf(queue)]).toEqual([['one '], 'unhealthy', []]);
  });

  it('is forgotten where it is asked something else, or nothing any more, or is another', async () => {
    const ends: ((queue: TestQueue) => unknown)[] = [
      (queue) => queue.pools.adjust('one', settingsOf({ health: { ...health, every_ms: 3 * SECOND } })),
      (queue) => queue.pools.adjust('one', settingsOf()),
      (queue) => queue.provider('one', () => ({ ms: 1 })),
      (queue) => queue.pools.disconnect('one'),
    ];
    for (const end of ends) {
      const { life, text } = world();
      const queue = await fallen(life);
      await end(queue);
      await queue.time.settle();
      expect(text()).toBe('{}');
    }
    const { life, text } = world();
    await fallen(life);
    const next = await life(SECOND);
    next.provider('one', () => ({ ms: 1 }));
    await next.time.settle();
    expect([stateNow(next), text()]).toEqual(['connected', '{}']);
  });

  it('binds nobody who runs already, and holds up no provider that was well', async () => {
    const { life } = world();
    const other = await life();
    connect(other, () => ({ ms: 1 }));
    await fallen(life);
    other.submit({ id: 'free' });
    await other.time.advance(2);
    expect(other.results.get('free')).toEqual(answered);
    const next = await life(SECOND);
    next.provider('two', () => ({ ms: 1 }), { settings: { health }, protocol: 'b/v1' });
    next.submit({ id: 'two', protocol: 'b/v1' });
    await next.time.advance(2);
    expect(next.results.get('two')).toEqual(answered);
  });
});
