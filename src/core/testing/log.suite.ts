import type { Event, Happening } from '../events.ts';
import { trouble } from './builders.suite.ts';

export const introduction = {
  id: 'a',
  name: 'first',
  protocol: 'echo/v1',
  method: 'echo',
  priority: 'high',
  dependencies: [],
  params_hash: '#{}',
} as const;

export const start = { name: 'flow', version: '2', total: 1, input_hash: '#in' };

/** The happenings as one run's log, one event every ten milliseconds. */
export function log(...happenings: readonly Happening[]): Event[] {
  return happenings.map((happening, index) => ({
    ...happening,
    cursor: 100 + index,
    seq: index + 1,
    at: 10 * (index + 1),
    workflow_id: 'w',
  }));
}

export const introduced: Happening = {
  event: 'task:queued',
  task_id: 't',
  data: { reason: 'submitted', task: introduction },
};
export const waiting: Happening = {
  event: 'task:waiting',
  task_id: 't',
  data: { reason: 'submitted', task: introduction },
};
export const queued = (reason: 'dependencies_settled' | 'due' | 'rescued' | 'reopened'): Happening => ({
  event: 'task:queued',
  task_id: 't',
  data: { reason },
});

export function attempt(number: number, provider: string | null = 'p'): Happening[] {
  return [
    { event: 'task:validated', task_id: 't', data: {} },
    { event: 'task:routed', task_id: 't', data: { provider } },
    { event: 'task:started', task_id: 't', data: { attempt: number, started_at: number } },
  ];
}

export const error = trouble();
export const retrying = (counts: boolean): Happening => ({
  event: 'task:retrying',
  task_id: 't',
  data: { attempt: 1, due_at: 777, error, counts },
});
export const failed: Happening = { event: 'task:failed', task_id: 't', data: { attempt: 1, error } };
