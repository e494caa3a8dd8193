import { describe, expect, it } from 'vitest';
import * as limits from './limits.ts';
import { CLAIM_BUDGET } from './ports/store.ts';
import { isClaimable, runKeyOf } from './records.ts';
import { taskStatuses } from './task.ts';

describe('runKeyOf', () => {
  it('is the run, or the task itself where it is alone', () => {
    expect(runKeyOf({ task_id: 't', workflow_id: 'w' })).toBe('w');
    expect(runKeyOf({ task_id: 't', workflow_id: null })).toBe('t');
  });
});

describe('isClaimable', () => {
  it('is what stands in the queue, is not parked, and nobody holds', () => {
    const free = { owner: null, parked: null };
    expect(taskStatuses.filter((status) => isClaimable({ ...free, status }))).toEqual(['queued']);
    expect(isClaimable({ ...free, status: 'queued', owner: 'e' })).toBe(false);
    expect(isClaimable({ ...free, status: 'queued', parked: 'paused' })).toBe(false);
  });
});

describe('limits', () => {
  it('are what the manual says', () => {
    expect(limits).toMatchObject({
      INLINE_PAYLOAD: 262_144,
      MAX_PAYLOAD: 8_388_608,
      MAX_JSON_DEPTH: 128,
      MAX_TASKS_PER_RUN: 100_000,
      MAX_TASKS_PER_CALL: 10_000,
      MAX_NAME: 256,
      KEPT_ATTEMPTS: 100,
    });
    expect(CLAIM_BUDGET).toBe(16_777_216);
  });
});
