import { describe, expect, it } from 'vitest';
import { withShares } from './shares.ts';

describe('withShares', () => {
  const summary = { metric: 'single', unit: 'tasks/s', value: 5_000, runs: [5_000], worst: 5_000 };

  it('takes the share of the mean of the loops before and after', () => {
    const shared = withShares([summary], [{ single: 8_000 }, { single: 12_000 }]);
    expect(shared).toEqual([{ ...summary, bare: 10_000, share_of_bare: 0.5 }]);
  });

  it('leaves figures alone that the loop has none for', () => {
    const other = { ...summary, metric: 'p50' };
    expect(withShares([other], [{ single: 8_000 }])).toEqual([other]);
    expect(withShares([summary], [])).toEqual([summary]);
  });
});
