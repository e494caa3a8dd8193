import { describe, expect, it } from 'vitest';
import { ClaimLoad } from './claim-load.ts';
import { CLAIM_BUDGET } from './ports/store.ts';

const run = (workflow_id: string, input: number) => ({ workflow_id, input });

describe('what a claim carries', () => {
  it('is the payloads of tasks up to the last character of the budget', () => {
    const load = new ClaimLoad();
    expect(load.takes(CLAIM_BUDGET - 10, null)).toBe(true);
    expect(load.takes(10, null)).toBe(true);
    expect(load.left).toBe(0);
    expect(load.takes(1, null)).toBe(false);
  });

  it('ends with the first that does not fit', () => {
    const load = new ClaimLoad();
    expect(load.takes(1, null)).toBe(true);
    expect(load.takes(CLAIM_BUDGET, null)).toBe(false);
    expect(load.takes(1, null)).toBe(false);
  });

  it('has the input of a run once', () => {
    const load = new ClaimLoad();
    expect(load.takes(1, run('w1', CLAIM_BUDGET - 10))).toBe(true);
    expect(load.takes(1, run('w1', CLAIM_BUDGET - 10))).toBe(true);
    expect(load.left).toBe(8);
    expect(load.takes(1, run('w2', 8))).toBe(false);
  });
});
