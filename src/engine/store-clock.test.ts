import { expect, it } from 'vitest';
import { StoreClock } from './store-clock.ts';

it('goes on from what the store said last, whatever happens to the clock of the machine', () => {
  const time = { wall: 500, monotonic: 10 };
  const clock = new StoreClock({ wall: () => time.wall, monotonic: () => time.monotonic });
  expect(clock.now()).toBe(500);
  clock.heard(9000);
  time.monotonic = 35;
  time.wall = 0;
  expect(clock.now()).toBe(9025);
});
