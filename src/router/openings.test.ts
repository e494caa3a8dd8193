import { describe, expect, it } from 'vitest';
import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import { defaultBreaker } from '../core/pool/breaker.ts';
import { KeptOpenings } from './openings.ts';
import { heldProvider } from './pools.suite.ts';
import { answered, failed, settingsOf, TestQueue } from './queue.suite.ts';

const ill: Answer = failed('GLZ2001');
const SECOND = 1000;

/** A store that is there for as many lives as are lived on it. */
function world() {
  let kept: { text: string; version: number } | null = null;
  const seen = { away: false, writes: 0, warned: 0 };
  const state = {
    read: async () => {
      if (seen.away) throw new GleitzeitError('GLZ3001', 'away');
      return kept;
    },
    write: async (_: string, text: string, expect: number) => {
      if ((kept?.version ?? 0) !== expect) throw new GleitzeitError('GLZ1013', 'another version');
      seen.writes++;
      kept = { text, version: expect + 1 };
      return kept;
    },
  };
  const logger = { debug() {}, info() {}, warn: () => void seen.warned++, error() {} };
  let wall = 0;
  const openings: KeptOpenings[] = [];
  /** A process that starts so long after the first one did. */
  const life = async (at_ms = 0) => {
    wall = at_ms;
    const queue = new TestQueue(1, (time) => {
      time.wallJump = wall;
      const own = new KeptOpenings({ state, clock: time, logger });
      openings.push(own);
      return { openings: own };
    });
    await openings.at(-1)?.look();
    return queue;
  };
  return {
    seen,
    state,
    logger,
    life,
    text: () => kept?.text ?? '{}',
    keys: () => Object.keys(JSON.parse(kept?.text ?? '{}')),
  };
}

const tasks = (count: number, name = 't') =>
  Array.from({ length: count }, (_, index) => ({ id: `${name}${index}` }));
const cooling = settingsOf({
  breaker: { ...defaultBreaker, cool_down_ms: 30 * SECOND, most_cool_down_ms: 60 * SECOND },
});

/** Fails as often as it has to until it is left in peace. */
async function opened(queue: TestQueue, answer: () => Answer = () => ill): Promise<void> {
  queue.provider('one', () => ({ ms: 1, answer: answer() }), { settings: cooling });
  queue.submit(...tasks(5, 'first'));
  await queue.time.advance(2);
}

const stateOf = (queue: TestQueue) => queue.pools.status('one')?.breakers.map(({ state }) => state);

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

describe('what is kept of open breakers', () => {
  it('is written when one opens, and not with calls', async () => {
    const { seen, life, keys } = world();
    const queue = await life();
    let calls = 0;
    queue.provider('one', ({ method }) => ({
      ms: 1,
      answer: method === 'fine' || calls++ % 2 === 1 ? answered : ill,
    }));
    queue.submit(...tasks(19));
    queue.submit(...tasks(500, 'fine').map((task) => ({ ...task, method: 'fine' })));
    await queue.time.advance(10);
    expect(seen.writes).toBe(0);
    queue.submit(...tasks(20, 'more'));
    await queue.time.advance(10);
    expect([seen.writes, keys()]).toEqual([1, ['one echo']]);
  });

  it('is written together where several open while it is written', async () => {
    const { seen, state, logger, life, keys } = world();
    const { time } = await life();
    const openings = new KeptOpenings({ state, clock: time, logger });
    const methods = ['a', 'b', 'c', 'd'];
    for (const method of methods) openings.opened('one', method, { until: 5000, opened: 1 });
    openings.closed('one', 'b');
    await openings.settled();
    expect([keys(), seen.writes]).toEqual([['one a', 'one c', 'one d'], 1]);
  });

  it('is not written again for each moment more', async () => {
    const { seen, life } = world();
    const queue = await life();
    const breaker = { ...defaultBreaker, cool_down_ms: 10, most_cool_down_ms: 10 };
    queue.provider('one', () => ({ ms: 1, answer: ill }), { settings: settingsOf({ breaker }) });
    queue.submit(...tasks(200));
    await queue.time.advance(1000);
    expect(queue.calls.length).toBeGreaterThan(50);
    expect(seen.writes).toBeLessThanOrEqual(2);
  });

  it('binds who starts, and nobody who runs already', async () => {
    const { life } = world();
    const [one, two] = [await life(), await life()];
    two.provider('one', () => ({ ms: 1 }), { settings: cooling });
    await opened(one);
    two.submit({ id: 'free' });
    await two.time.advance(2);
    expect(two.results.get('free')).toEqual(answered);
    const three = await life();
    three.provider('one', () => ({ ms: 1 }), { settings: cooling });
    expect(stateOf(three)).toEqual(['open']);
  });

  it('is of agents whose names have spaces too, and only of those that are known', async () => {
    const { state, logger, life, keys } = world();
    const { time } = await life();
    const openings = new KeptOpenings({ state, clock: time, logger });
    const opening = { until: 5000, opened: 2 };
    for (const id of ['agent:My Writer', 'agent:My', '__proto__']) openings.opened(id, 'send', opening);
    await openings.settled();
    const next = new KeptOpenings({ state, clock: time, logger });
    await next.look();
    for (const id of ['agent:My Writer', 'agent:My', '__proto__'])
      expect([...next.of(id)]).toEqual([['send', opening]]);
    next.keepOnly((id) => id !== 'agent:My');
    await next.settled();
    expect(keys()).toEqual(['agent:My Writer send', '__proto__ send']);
  });

  it('has an end: those are forgotten that would be tried first', async () => {
    const { state, logger, life, keys } = world();
    const { time } = await life();
    const openings = new KeptOpenings({ state, clock: time, logger });
    for (let index = 0; index < 1010; index++)
      openings.opened('one', `m${index}`, { until: 5000 + ((index * 7) % 1010), opened: 1 });
    await openings.settled();
    const left = keys();
    expect(left).toHaveLength(1000);
    expect(left).not.toContain('one m0');
    expect(left).toContain('one m1009');
  });

  it('is nothing where the store is away, and calls go on', async () => {
    const { seen, life, text } = world();
    seen.away = true;
    const queue = await life();
    await opened(queue);
    expect([stateOf(queue), seen.warned]).toEqual([['open'], 2]);
    seen.away = false;
    expect(text()).toBe('{}');
    const next = await life(SECOND);
    next.provider('one', () => ({ ms: 1 }));
    expect(stateOf(next)).toEqual([]);
  });
});

it('pools of a process without a store remember nothing', async () => {
  const queue = new TestQueue();
  await opened(queue);
  queue.pools.connect(heldProvider('one').provider);
  expect(stateOf(queue)).toEqual([]);
});
