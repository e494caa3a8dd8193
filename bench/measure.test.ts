import { describe, expect, it } from 'vitest';
import { inFlight, median, percentile, summarise } from './measure.ts';

describe('median', () => {
  it('is the middle value, or the mean of the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});

describe('percentile', () => {
  it('is the smallest sample that the share does not exceed', () => {
    const samples = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile(samples, 0.5)).toBe(50);
    expect(percentile(samples, 0.99)).toBe(99);
    expect(percentile(samples, 1)).toBe(100);
    expect(percentile([7], 0.5)).toBe(7);
  });
});

describe('summarise', () => {
  it('calls the lowest rate and the highest latency the worst', () => {
    const run = (rate: number, wait: number) => [
      { unit: 'tasks/s', better: 'more' as const, value: rate },
      { metric: 'p50', unit: 'ms', better: 'less' as const, value: wait },
    ];
    expect(summarise([run(10, 1), run(30, 3), run(20, 2)])).toEqual([
      { unit: 'tasks/s', value: 20, runs: [10, 30, 20], worst: 10 },
      { metric: 'p50', unit: 'ms', value: 2, runs: [1, 3, 2], worst: 3 },
    ]);
  });
});

describe('inFlight', () => {
  it('runs every index once, and never more than the width at a time', async () => {
    const seen: number[] = [];
    let running = 0;
    let most = 0;
    await inFlight(20, 4, async (index) => {
      most = Math.max(most, ++running);
      seen.push(index);
      await Promise.resolve();
      running--;
    });
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(most).toBe(4);
  });
});
