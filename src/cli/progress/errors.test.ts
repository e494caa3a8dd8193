import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { events, introduction } from './events.suite.ts';
import { Progress } from './model.ts';

function errorOf(data: JsonObject): string | null | undefined {
  const error = { message: 'Task state: failed', data };
  const progress = new Progress();
  for (const event of events([
    ['task:queued', 'ask', introduction('ask')],
    ['task:failed', 'ask', { error }],
  ]))
    progress.take(event);
  return progress.tasks[0]?.error;
}

describe('the error of a task', () => {
  it('says of an agent that failed why it did, and of others only what happened', () => {
    const reason = 'out of paper';
    expect(errorOf({ reason, details: { state: 'failed' } })).toBe('Task state: failed: out of paper');
    expect(errorOf({ reason, details: { status: 'done' } })).toBe('Task state: failed: out of paper');
    for (const data of [
      { reason },
      { reason, details: { http_status: 500 } },
      { details: { state: 'failed' } },
    ])
      expect(errorOf(data)).toBe('Task state: failed');
  });
});
