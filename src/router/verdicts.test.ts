import { describe, expect, it } from 'vitest';
import { request } from './hedge.suite.ts';
import {
  answered,
  callsOf,
  failed,
  faulty,
  poolOf,
  settingsOf,
  TestQueue,
  wellDone,
  work,
} from './queue.suite.ts';

const MINUTES = 60_000;

function twoProviders(bad: ReturnType<typeof faulty>, attempts = 1) {
  const queue = new TestQueue();
  queue.attempts = attempts;
  queue.provider('good', () => ({ ms: 40 }));
  queue.provider('bad', () => ({ ms: 1, answer: bad }));
  return queue;
}

describe('a provider that answers fast and wrongly', () => {
  it('is left in peace like one that fails, and does not take the work of the pool', async () => {
    const queue = twoProviders(faulty('provider'));
    queue.pools.configure('a/v1', poolOf({ select: 'round_robin' }));
    const ids = await work(queue, 300);
    expect(wellDone(queue, ids)).toBeGreaterThan(280);
    expect(queue.pools.status('bad')?.breakers).toMatchObject([{ method: 'echo', state: 'open' }]);
  });

  it('gets hardly a call where the quickest is asked, also before it is left in peace', async () => {
    const queue = twoProviders(faulty('provider'));
    await work(queue, 300);
    expect(callsOf(queue, 'bad')).toBeLessThan(10);
  });

  it('costs no task where there are attempts left', async () => {
    const queue = twoProviders(faulty('provider'), 2);
    const ids = await work(queue, 300);
    expect(wellDone(queue, ids)).toBe(300);
  });

  it('is not taken for a quick one because it refuses what it is asked', async () => {
    const queue = new TestQueue();
    queue.provider('picky', ({ method }) => ({
      ms: method === 'bad' ? 1 : 80,
      answer: method === 'bad' ? failed('GLZ2010') : answered,
    }));
    queue.provider('good', () => ({ ms: 20 }));
    await work(queue, 20, 'bad');
    const before = callsOf(queue, 'picky');
    await work(queue, 100, 'fine');
    expect(callsOf(queue, 'picky') - before).toBeLessThan(30);
    expect(queue.pools.status('picky')?.breakers).toEqual([]);
  });
});

describe('a method that a provider says it does not have', () => {
  const setUp = (attempts = 2) => {
    const queue = new TestQueue();
    queue.attempts = attempts;
    for (const id of ['one', 'two']) queue.provider(id, () => ({ ms: 5 }));
    queue.provider('lacks', ({ method }) => ({
      ms: 1,
      answer: method === 'echo' ? faulty('method') : answered,
    }));
    return queue;
  };

  it('is asked for elsewhere, and of it no more', async () => {
    const queue = setUp();
    const ids = await work(queue, 150);
    expect(wellDone(queue, ids)).toBe(150);
    expect(callsOf(queue, 'lacks')).toBeLessThanOrEqual(5);
    expect(queue.pools.status('lacks')).toMatchObject({ lacks: ['echo'], breakers: [] });
    const before = callsOf(queue, 'lacks');
    await work(queue, 30, 'other');
    expect(callsOf(queue, 'lacks')).toBeGreaterThan(before);
  });

  it('is asked for again after five minutes, or when somebody says so', async () => {
    const queue = setUp();
    const again = async () => {
      const before = callsOf(queue, 'lacks');
      await work(queue, 30);
      return callsOf(queue, 'lacks') > before;
    };
    expect([await again(), await again()]).toEqual([true, false]);
    await queue.time.advance(5 * MINUTES);
    expect([await again(), await again()]).toEqual([true, false]);
    queue.pools.resume('lacks');
    expect([await again(), await again()]).toEqual([true, false]);
    queue.pools.adjust('lacks', settingsOf({ weight: 2 }));
    expect([await again(), await again()]).toEqual([true, false]);
    await queue.time.until(queue.pools.test('lacks', { method: 'other' }));
    expect([await again(), await again()]).toEqual([true, false]);
  });

  it('is asked for again of it where nobody else is left, whose error counts then', async () => {
    const queue = setUp();
    await work(queue, 30);
    await queue.pools.disconnect('one');
    queue.submit({ id: 'late' });
    await queue.time.advance(10);
    expect(queue.calls.at(-1)).toBe('late two');
    await queue.pools.disconnect('two');
    queue.submit({ id: 'last' });
    await queue.time.advance(10);
    expect(queue.results.get('last')).toEqual(faulty('method'));
  });

  it('is nobody else to send a call of that method to', async () => {
    const queue = setUp();
    await queue.pools.disconnect('two');
    await work(queue, 20);
    const others = (method: string, id: string): boolean | null | undefined => {
      const routed = queue.pools.route({ ...request, method });
      if (routed.word === 'wait') return null;
      const { passage } = routed;
      const found = passage.provider.id === id ? passage.others?.() : others(method, id);
      passage.leave();
      return found;
    };
    expect(queue.pools.status('lacks')?.lacks).toEqual(['echo']);
    expect([others('echo', 'one'), others('fine', 'one')]).toEqual([false, true]);
  });

  it('is had again once it was done', async () => {
    const queue = new TestQueue();
    let has = false;
    queue.provider('grows', () => ({ ms: 1, answer: has ? answered : faulty('method') }));
    await work(queue, 5);
    expect(queue.pools.status('grows')?.lacks).toEqual(['echo']);
    has = true;
    await work(queue, 5);
    expect(queue.pools.status('grows')?.lacks).toEqual([]);
  });

  it('makes nobody wait for its room', async () => {
    const queue = setUp();
    await work(queue, 30);
    for (const id of ['one', 'two'])
      queue.pools.adjust(id, settingsOf({ limits: { concurrency: 1, rate: null } }));
    const [before, waits] = [callsOf(queue, 'lacks'), queue.waits];
    queue.submit(...Array.from({ length: 20 }, (_, index) => ({ id: `w${index}` })));
    await queue.time.advance(200);
    expect(queue.results.get('w19')).toEqual(answered);
    expect(callsOf(queue, 'lacks')).toBe(before);
    expect(queue.waits - waits).toBeLessThan(25);
  });
});

describe('a task whose error was final with one provider', () => {
  it('waits for the other rather than see it again, and is not called in vain meanwhile', async () => {
    const queue = new TestQueue();
    queue.attempts = 3;
    const limits = { concurrency: 1, rate: null };
    queue.provider('good', () => ({ ms: 500 }), { settings: { limits, weight: 100 } });
    queue.provider('bad', () => ({ ms: 1, answer: faulty('provider') }));
    queue.submit({ id: 'first' }, { id: 'second' });
    await queue.time.advance(10);
    expect(queue.calls).toEqual(['first good', 'second bad']);
    expect(queue.waiting()).toEqual(['second: line concurrency provider good except bad for echo']);
    await queue.time.advance(480);
    expect(queue.waits).toBe(1);
    await queue.time.advance(600);
    expect(queue.results.get('second')).toEqual(answered);
    expect(callsOf(queue, 'bad')).toBe(1);
  });

  it('is not sent to whoever gets no calls, or has failed it, or to anybody where it is for one alone', () => {
    const queue = new TestQueue();
    for (const id of ['one', 'two']) queue.provider(id, () => ({ ms: 1 }));
    const others = (more: { avoid?: readonly string[]; only?: string } = {}) => {
      const whose = { task_id: 't', workflow_id: null, called: false };
      const routed = queue.pools.route({
        ...{ protocol: 'a/v1', method: 'echo', params: {}, avoid: ['two'], ...whose, ...more },
      });
      if (routed.word === 'wait') throw new Error('nobody waits here');
      const found = routed.passage.others?.();
      routed.passage.leave();
      return found;
    };
    expect([others(), others({ avoid: [] }), others({ only: 'one' })]).toEqual([false, true, false]);
    queue.pools.drain('two');
    expect(others({ avoid: [] })).toBe(false);
  });
});

describe('a service that turns calls away without a word about when to come again', () => {
  it('is left alone for longer and longer, and the others take the work', async () => {
    const queue = twoProviders(failed('GLZ2004'));
    const ids = await work(queue, 300);
    expect(wellDone(queue, ids)).toBeGreaterThan(280);
    expect(queue.pools.status('bad')?.paused_until).not.toBeNull();
  });

  it('is asked again after each time, and begins anew once it has taken a call', async () => {
    const queue = new TestQueue();
    let well = false;
    const seen = queue.provider('full', () => ({ ms: 1, answer: well ? answered : failed('GLZ2004') }));
    for (let second = 0; second < 16; second++) {
      queue.submit({ id: `t${second}` });
      await queue.time.advance(1000);
    }
    expect([...new Set(seen.times.map((time) => Math.round(time / 1000)))]).toEqual([0, 1, 3, 7, 15]);
    well = true;
    queue.submit({ id: 'taken' });
    await queue.time.advance(30_000);
    expect(queue.results.get('taken')).toEqual(answered);
    well = false;
    queue.submit({ id: 'again' });
    await queue.time.advance(10);
    const { paused_until } = queue.pools.status('full') ?? {};
    expect((paused_until ?? 0) - queue.time.wall()).toBeLessThanOrEqual(1000);
  });

  it('begins anew where somebody resumes it', async () => {
    const queue = new TestQueue();
    queue.provider('full', () => ({ ms: 1, answer: failed('GLZ2004') }));
    const pause = async (id: string) => {
      queue.submit({ id });
      await queue.time.advance(2);
      return (queue.pools.status('full')?.paused_until ?? 0) - queue.time.wall();
    };
    const first = await pause('a');
    queue.pools.resume('full');
    expect(await pause('b')).toBe(first);
  });
});

describe('a provider that is quick at one method and slow at another', () => {
  it('gets the calls it is quick at', async () => {
    const queue = new TestQueue();
    queue.provider('mixed', ({ method }) => ({ ms: method === 'heavy' ? 80 : 1 }));
    queue.provider('even', () => ({ ms: 25 }));
    for (let turn = 0; turn < 10; turn++) {
      await work(queue, 5, 'heavy');
      await work(queue, 5, 'light');
    }
    const light = queue.calls.filter((call) => call.startsWith('light'));
    const mixed = light.filter((call) => call.endsWith('mixed'));
    expect(mixed.length).toBeGreaterThan(light.length / 2);
  });
});
