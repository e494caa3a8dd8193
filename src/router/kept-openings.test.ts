import { describe, expect, it } from 'vitest';
import { defaultBreaker } from '../core/pool/breaker.ts';
import { cooling, ill, opened, SECOND, stateOf, tasks, world } from './openings.suite.ts';
import { KeptOpenings } from './openings.ts';
import { heldProvider } from './pools.suite.ts';
import { answered, settingsOf, TestQueue } from './queue.suite.ts';

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
    queue.submit(...tasks(5));
    await queue.time.advance(2);
    queue.submit(...tasks(200, 'more'));
    await queue.time.advance(900);
    expect([queue.calls.length > 60, seen.writes]).toEqual([true, 1]);
    await queue.time.advance(900);
    expect(seen.writes).toBe(2);
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

  it('is the longest of what was told, and nothing is written where that changes nothing', async () => {
    const { seen, state, logger, life } = world();
    const { time } = await life();
    const [one, two] = [0, 1].map(() => new KeptOpenings({ state, clock: time, logger }));
    one?.opened('a', 'm', { until: 60_000, opened: 6 });
    await one?.settled();
    two?.opened('a', 'm', { until: 5000, opened: 1 });
    two?.forget('b');
    two?.keepOnly(() => true);
    await two?.settled();
    expect(seen.writes).toBe(1);
    const next = new KeptOpenings({ state, clock: time, logger });
    await next.look();
    expect([...next.of('a')]).toEqual([['m', { until: 60_000, opened: 6 }]]);
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
