import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Happening, TaskIntroduction } from '../../core/events.ts';
import { eventsFrom, eventsText } from './event-text.ts';

const introduction = (task_id: string): TaskIntroduction => ({
  id: task_id,
  name: task_id,
  protocol: 'p/v1',
  method: 'm',
  priority: 'normal',
  dependencies: [],
  params_hash: 'h',
});

const taskId = fc.constantFrom('t1', 't2', 'run');
const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ event: fc.constant('task:validated'), task_id: taskId, data: fc.constant({}) }),
  fc.record({
    event: fc.constant('task:routed'),
    task_id: taskId,
    data: fc.record({ provider: fc.option(fc.string()) }),
  }),
  fc.record({
    event: fc.constant('task:started'),
    task_id: taskId,
    data: fc.record({ attempt: fc.nat(), started_at: fc.nat() }),
  }),
  fc.record({
    event: fc.constant('task:completed'),
    task_id: taskId,
    data: fc.record({ attempt: fc.nat(), result_hash: fc.string() }),
  }),
  taskId.map((task_id) => ({
    event: 'task:queued' as const,
    task_id,
    data: { reason: 'submitted' as const, task: introduction(task_id) },
  })),
  taskId.map((task_id) => ({
    event: 'task:waiting' as const,
    task_id,
    data: { reason: 'submitted' as const, task: introduction(task_id) },
  })),
  fc.record({
    event: fc.constant('task:queued'),
    task_id: taskId,
    data: fc.constant({ reason: 'due' as const }),
  }),
  fc.record({ event: fc.constant('workflow:failed'), data: fc.record({ failed: fc.nat() }) }),
);

describe('events as text', () => {
  it('come back as they were, in whatever order', () => {
    const runs = fc.constantFrom('run', null);
    fc.assert(
      fc.property(fc.array(anyHappening, { maxLength: 12 }), runs, (events, run_key) => {
        expect(eventsFrom(eventsText(events, run_key), run_key, introduction)).toEqual(events);
      }),
    );
  });

  it('are short for what happens to nearly every task', () => {
    const data = { attempt: 1, started_at: 1_700_000_000_000 };
    const events: Happening[] = [
      { event: 'task:validated', task_id: 'run', data: {} },
      { event: 'task:routed', task_id: 'run', data: { provider: 'p' } },
      { event: 'task:started', task_id: 'run', data },
      { event: 'task:completed', task_id: 'run', data: { attempt: 1, result_hash: 'h' } },
    ];
    expect(eventsText(events, 'run')).toBe('[["b",0,"p",1,1700000000000],["c",0,1,"h"]]');
  });
});
