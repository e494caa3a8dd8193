import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock, systemRandom, systemTimers } from './system.ts';

const DAY = 24 * 3600 * 1000;

describe('the timers of the machine', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('call once after the time, unless they are taken back', () => {
    vi.useFakeTimers();
    const called: string[] = [];
    systemTimers.after(100, () => called.push('a'));
    const cancel = systemTimers.after(50, () => called.push('b'));
    cancel();
    vi.advanceTimersByTime(99);
    expect(called).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(called).toEqual(['a']);
    cancel();
  });

  it('wait longer than a timer of the runtime can', () => {
    vi.useFakeTimers();
    let called = 0;
    systemTimers.after(60 * DAY, () => called++);
    const cancel = systemTimers.after(60 * DAY, () => called++);
    vi.advanceTimersByTime(40 * DAY);
    expect(called).toBe(0);
    cancel();
    vi.advanceTimersByTime(20 * DAY);
    expect(called).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('call soon when everything that can run now has run', async () => {
    const order: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    systemTimers.soon(() => {
      order.push('soon');
      resolve();
    });
    void Promise.resolve()
      .then(() => order.push('first'))
      .then(() => order.push('second'));
    order.push('now');
    await promise;
    expect(order).toEqual(['now', 'first', 'second', 'soon']);
  });
});

describe('the clock of the machine', () => {
  it('tells wall time, and time that never goes back', () => {
    expect(Math.abs(systemClock.wall() - Date.now())).toBeLessThan(1000);
    const times = Array.from({ length: 1000 }, () => systemClock.monotonic());
    expect([...times].sort((a, b) => a - b)).toEqual(times);
  });
});

describe('the randomness of the machine', () => {
  it('gives as many bytes as asked for, and none twice', () => {
    const random = systemRandom();
    const drawn = Array.from({ length: 5000 }, () => Buffer.from(random.bytes(8)).toString('hex'));
    expect(drawn.every((text) => text.length === 16)).toBe(true);
    expect(new Set(drawn).size).toBe(5000);
    expect(random.bytes(0)).toHaveLength(0);
    expect(random.bytes(20_000)).toHaveLength(20_000);
    expect(random.bytes(8)).toHaveLength(8);
  });

  it('does not change bytes it has given away', () => {
    const random = systemRandom();
    const first = random.bytes(16);
    const copy = Buffer.from(first);
    for (let more = 0; more < 2000; more++) random.bytes(8);
    expect(Buffer.from(first).equals(copy)).toBe(true);
  });

  it('gives numbers from 0 up to 1', () => {
    const random = systemRandom();
    const drawn = Array.from({ length: 1000 }, () => random.next());
    expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(drawn).size).toBeGreaterThan(990);
  });
});
