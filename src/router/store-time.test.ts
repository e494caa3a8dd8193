import { describe, expect, it } from 'vitest';
import { StoreTime } from './store-time.ts';

function setUp() {
  let now = 0;
  const time = new StoreTime({ wall: () => 1_000_000 + now, monotonic: () => now });
  return { time, at: (ms: number) => (now = ms) };
}

describe('the clock of a store', () => {
  it('is the machine’s until it is heard, and goes on by itself after', () => {
    const { time, at } = setUp();
    expect(time.wall()).toBe(1_000_000);
    at(100);
    time.hear(5000);
    at(350);
    expect([time.wall(), time.monotonic()]).toEqual([5250, 350]);
  });

  it('is believed most where it was heard soonest', () => {
    const { time, at } = setUp();
    at(100);
    time.hear(5000);
    at(400);
    time.hear(5100);
    expect(time.wall()).toBe(5300);
    at(500);
    time.hear(5450);
    expect(time.wall()).toBe(5450);
  });

  it('may be set back: what was heard long ago does not count for ever', () => {
    const { time, at } = setUp();
    time.hear(5_000_000);
    at(9999);
    time.hear(1000);
    expect(time.wall()).toBe(5_009_999);
    at(10_000);
    time.hear(1001);
    expect(time.wall()).toBe(1001);
  });
});
