import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { introduce } from '../../core/decisions/submit.ts';
import type { Happening } from '../../core/events.ts';
import { priorities } from '../../core/priority.ts';
import { defaultRetry } from '../../core/retry.ts';
import { eventsFrom, eventsText } from './event-text.ts';

const body = {
  spec: {
    name: 'a name',
    protocol: 'p/v1',
    method: 'm',
    dependencies: ['a'],
    retry_config: defaultRetry,
    timeout: 30,
  },
  params_hash: 'h',
};
const carried = { hash: 'h', body: () => body };
const introduced = fc
  .record({ task_id: taskIds(), id: taskIds(), priority: fc.constantFrom(...priorities) })
  .map(({ task_id, ...row }) => ({
    task_id,
    data: { reason: 'submitted' as const, task: introduce(row, body) },
  }));

function taskIds() {
  return fc.constantFrom('t1', 't2', 'run');
}

const taskId = taskIds();
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
    data: fc.record({ attempt: fc.nat(), result_hash: fc.constant('h') }),
  }),
  introduced.map((fields) => ({ event: 'task:queued' as const, ...fields })),
  introduced.map((fields) => ({ event: 'task:waiting' as const, ...fields })),
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
        expect(eventsFrom(eventsText(events, run_key), run_key, carried)).toEqual(events);
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
    expect(eventsText(events, 'run')).toBe('[["b",0,"p",1,1700000000000],["c",0,1]]');
  });
});
