import { describe, expect, it } from 'vitest';
import { streamQueryReader } from './stream-query.ts';

const { signal } = new AbortController();
const read = (query: string, headers: Record<string, string> = {}) =>
  streamQueryReader()({ query: new URLSearchParams(query), headers, signal });

describe('the query of an event stream', () => {
  it('has the names of event.subscribe, lists separated by commas', () => {
    expect(read('events=task:completed,task:failed&workflow_id=w&cursor=7&ticket=x')).toMatchObject({
      events: ['task:completed', 'task:failed'],
      workflow_id: 'w',
      cursor: 7,
    });
    expect(read('')).toEqual({ cursor: undefined, signal });
  });

  it('gives way to the newest event that its reader has seen', () => {
    expect(read('cursor=7', { 'last-event-id': '9' }).cursor).toBe(9);
    expect(read('cursor=7', { 'last-event-id': '' }).cursor).toBe(7);
  });

  it.each([
    ['cursor=1&cursor=2', 'cursor', 'stands twice'],
    ['task_id=a&task_id=a', 'task_id', 'stands twice'],
    ['cursor=-1', 'cursor', 'must be the cursor of an event'],
    ['cursor=1e3', 'cursor', 'must be the cursor of an event'],
    ['cursor=', 'cursor', 'must be the cursor of an event'],
    ['events=task:done', '/events/0', ''],
    ['__proto__=1', '__proto__', ''],
    ['taks_id=1', 'taks_id', 'unknown'],
  ])('refuses %s', (query, field, reason) => {
    let refused: unknown;
    try {
      read(query);
    } catch (thrown) {
      refused = thrown;
    }
    expect(refused).toMatchObject({
      code: 'GLZ1012',
      details: {
        field: expect.stringContaining(field.split('/')[1] ?? field),
        reason: expect.stringContaining(reason),
      },
    });
  });
});
