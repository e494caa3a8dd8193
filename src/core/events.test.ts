import { describe, expect, it } from 'vitest';
import { type EventMap, type EventRow, eventNames, eventsOf } from './events.ts';

const row: EventRow = {
  cursor: 12,
  run_key: 'w',
  workflow_id: 'w',
  first_seq: 4,
  at: 99,
  events: [
    { event: 'task:validated', task_id: 't', data: {} },
    { event: 'task:routed', task_id: 't', data: { provider: 'p' } },
    { event: 'workflow:completed', data: {} },
  ],
};

describe('eventsOf', () => {
  it('numbers the events of a row, the last one with the number of the row', () => {
    const common = { at: 99, workflow_id: 'w' };
    expect(eventsOf(row)).toEqual([
      { ...common, event: 'task:validated', task_id: 't', data: {}, cursor: 10, seq: 4 },
      { ...common, event: 'task:routed', task_id: 't', data: { provider: 'p' }, cursor: 11, seq: 5 },
      { ...common, event: 'workflow:completed', data: {}, cursor: 12, seq: 6 },
    ]);
  });

  it('gives no numbers of a run to what belongs to none', () => {
    const events = eventsOf({ ...row, run_key: null, workflow_id: null, first_seq: 0 });
    expect(events.map(({ cursor, seq }) => [cursor, seq])).toEqual([
      [10, 0],
      [11, 0],
      [12, 0],
    ]);
  });
});

describe('eventNames', () => {
  it('has every event of the map once', () => {
    const all: Record<keyof EventMap, true> = {
      'workflow:started': true,
      'workflow:paused': true,
      'workflow:resumed': true,
      'workflow:reopened': true,
      'workflow:completed': true,
      'workflow:failed': true,
      'workflow:cancelled': true,
      'task:waiting': true,
      'task:queued': true,
      'task:validated': true,
      'task:routed': true,
      'task:started': true,
      'task:progress': true,
      'task:kept': true,
      'task:input_required': true,
      'task:notification_awaited': true,
      'task:responded': true,
      'task:retrying': true,
      'task:interrupted': true,
      'task:completed': true,
      'task:failed': true,
      'task:reused': true,
      'task:cancelled': true,
      'task:skipped': true,
      'provider:connected': true,
      'provider:disconnected': true,
      'provider:unhealthy': true,
      'provider:healthy': true,
      'queue:paused': true,
      'queue:resumed': true,
    };
    expect(eventNames).toEqual(Object.keys(all));
  });
});
