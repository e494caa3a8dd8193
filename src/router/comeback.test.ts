import { describe, expect, it } from 'vitest';
import type { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { tasks, world } from './openings.suite.ts';
import { SharedPauses } from './pauses.ts';
import { answered, failed, settingsOf, TestQueue } from './queue.suite.ts';

const busy = failed('GLZ2004');

/** How many calls came in each second. */
const bySecond = (times: readonly number[], seconds: number, from = 0) =>
  Array.from(
    { length: seconds },
    (_, second) => times.filter((time) => Math.floor((time - from) / 1000) === second).length,
  );

/** A store, and processes that live on it one after another. */
function lives() {
  const { state, logger } = world();
  const kept: SharedPauses[] = [];
  const life = async (at_ms = 0) => {
    const queue = new TestQueue(1, (time: VirtualTime) => {
      time.wallJump = at_ms;
      const pauses = new SharedPauses({ state, clock: time, logger });
      kept.push(pauses);
      return { pauses };
    });
    await kept.at(-1)?.look();
    return queue;
  };
  return { life, settled: async () => void (await kept.at(-1)?.settled()) };
}

describe('a service that turns away every call', () => {
  it('gets one each time it was left alone, and not all that waits for it', async () => {
    const queue = new TestQueue();
    queue.attempts = 9;
    const seen = queue.provider('full', () => ({ ms: 5, answer: busy }));
    queue.submit(...tasks(100));
    await queue.time.advance(8000);
    expect(bySecond(seen.times, 8)).toEqual([100, 1, 0, 1, 0, 0, 0, 1]);
  });

  it('is left alone no less by a process that starts anew, which knows how often that was', async () => {
    const { life, settled } = lives();
    const before = await life();
    before.attempts = 9;
    before.provider('full', () => ({ ms: 5, answer: busy }));
    before.submit(...tasks(100));
    await before.time.advance(3500);
    await settled();
    const after = await life(3500);
    after.attempts = 9;
    const seen = after.provider('full', () => ({ ms: 5, answer: busy }));
    after.submit(...tasks(100));
    await after.time.advance(13_000);
    // Left alone since 3.0 for four seconds, then for eight.
    expect(bySecond(seen.times, 13)).toEqual([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
  });

  it('gets one of a process that starts when its time is just over', async () => {
    const { life, settled } = lives();
    const before = await life();
    before.provider('full', () => ({ ms: 5, answer: busy }));
    before.submit({ id: 't' });
    await before.time.advance(500);
    await settled();
    const after = await life(2000);
    const seen = after.provider('full', () => ({ ms: 5, answer: busy }));
    after.submit(...tasks(100));
    await after.time.advance(900);
    expect(seen.times.length).toBe(1);
  });
});

describe('a service that takes calls again', () => {
  const back = async (ms: number) => {
    const queue = new TestQueue();
    let well = false;
    const seen = queue.provider('one', () => ({ ms, answer: well ? answered : failed('GLZ2004', 1000) }));
    queue.submit({ id: 'first' });
    await queue.time.advance(ms + 1);
    well = true;
    const start = queue.time.monotonic();
    queue.submit(...tasks(300));
    return { queue, seen, start };
  };

  it('has all that waits for it after a few rounds of answers', async () => {
    const { queue, seen } = await back(10);
    await queue.time.advance(1000 + 8 * 10);
    expect(seen.times.length).toBe(301);
    expect(queue.pools.status('one')).toMatchObject({ paused_until: null, next_probe: null });
  });

  it('has it soon where its answers take long, and says when the next may come', async () => {
    const { queue, seen } = await back(60_000);
    await queue.time.advance(1010);
    expect(seen.times.length).toBe(2);
    const { next_probe } = queue.pools.status('one') ?? {};
    expect((next_probe ?? 0) - queue.time.wall()).toBeGreaterThan(0);
    expect((next_probe ?? 0) - queue.time.wall()).toBeLessThanOrEqual(500);
    expect(queue.waiting()[0]).toContain('line rate provider one');
    await queue.time.advance(3500);
    expect(seen.times.length).toBe(301);
  });

  it('is no wider than its limits for that', async () => {
    const queue = new TestQueue();
    let well = false;
    const limits = { concurrency: 3, rate: null };
    const seen = queue.provider('one', () => ({ ms: 10, answer: well ? answered : busy }), {
      settings: settingsOf({ limits }),
    });
    queue.submit({ id: 'first' });
    await queue.time.advance(11);
    well = true;
    queue.submit(...tasks(100));
    await queue.time.advance(1500);
    expect([seen.most, queue.results.size]).toEqual([3, 101]);
  });

  it('is tried with one call where somebody resumes it', async () => {
    const queue = new TestQueue();
    queue.attempts = 9;
    const seen = queue.provider('one', () => ({ ms: 5, answer: failed('GLZ2004', 60_000) }));
    queue.submit(...tasks(50));
    await queue.time.advance(100);
    queue.pools.resume('one');
    await queue.time.advance(100);
    expect(seen.times.length).toBe(51);
    expect(queue.pools.status('one')?.paused_until).not.toBeNull();
  });
});

describe('a service that takes so many a second', () => {
  it('takes as many, and turns few away', async () => {
    const queue = new TestQueue();
    queue.attempts = 9;
    let times: number[] = [];
    const turned: number[] = [];
    queue.provider('quota', () => {
      const now = queue.time.monotonic();
      times = times.filter((time) => time > now - 1000);
      const taken = times.length < 20;
      (taken ? times : turned).push(now);
      return { ms: 1, answer: taken ? answered : busy };
    });
    queue.submit(...tasks(300));
    await queue.time.advance(2500);
    const before = turned.length;
    await queue.time.advance(10_000);
    expect(turned.length - before).toBeLessThan(80);
    expect(queue.results.size).toBeGreaterThan(200);
  });
});
