import { expect, it } from 'vitest';
import { KeySlices } from './key-slices.ts';

const limit = { per_ms: 1 / 3_600_000, burst: 4 };

it('what was not used of one slice goes back also where the next is taken with it', () => {
  const slices = new KeySlices();
  slices.ask('a', limit, 0);
  const first = slices.settle(new Map(), limit, { wall: 0, monotonic: 0 });
  first.apply(0);
  expect(slices.left('a', 0)).toBe(1);
  slices.ask('a', limit, 3000);
  const second = slices.settle(first.buckets, limit, { wall: 3000, monotonic: 3000 });
  second.apply(3000);
  expect([slices.left('a', 3000), second.buckets.get('a')?.tokens]).toEqual([1, 3]);
});
