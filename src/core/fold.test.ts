import { describe, expect, it } from 'vitest';
import type { Event, Happening } from './events.ts';
import { emptyRun, type FoldedRun, fold, foldEvent } from './fold.ts';
import { trouble } from './testing/builders.suite.ts';

const introduction = {
  id: 'a',
  name: 'first',
  protocol: 'echo/v1',
  method: 'echo',
  priority: 'high',
  dependencies: [],
  params_hash: '#{}',
} as const;

const start = { name: 'flow', version: '2', total: 1, input_hash: '#in' };

/** The happenings as one run's log, one event every ten milliseconds. */
function log(...happenings: readonly Happening[]): Event[] {
  return happenings.map((happening, index) => ({
    ...happening,
    cursor: 100 + index,
    seq: index + 1,
    at: 10 * (index + 1),
    workflow_id: 'w',
  }));
}

const introduced: Happening = {
  event: 'task:queued',
  task_id: 't',
  data: { reason: 'submitted', task: introduction },
};
const waiting: Happening = {
  event: 'task:waiting',
  task_id: 't',
  data: { reason: 'submitted', task: introduction },
};
const queued = (reason: 'dependencies_settled' | 'due' | 'rescued' | 'reopened'): Happening => ({
  event: 'task:queued',
  task_id: 't',
  data: { reason },
});

function attempt(number: number, provider: string | null = 'p'): Happening[] {
  return [
    { event: 'task:validated', task_id: 't', data: {} },
    { event: 'task:routed', task_id: 't', data: { provider } },
    { event: 'task:started', task_id: 't', data: { attempt: number, started_at: number } },
  ];
}

const error = trouble();
const retrying = (counts: boolean): Happening => ({
  event: 'task:retrying',
  task_id: 't',
  data: { attempt: 1, due_at: 777, error, counts },
});
const failed: Happening = { event: 'task:failed', task_id: 't', data: { attempt: 1, error } };

function taskAfter(...happenings: readonly Happening[]) {
  return fold(log(...happenings)).tasks.get('t');
}

describe('a workflow in the log', () => {
  const started: Happening = { event: 'workflow:started', data: start };
  const runAfter = (...happenings: Happening[]) => fold(log(started, ...happenings)).run;
  const running = { workflow_id: 'w', ...start, status: 'running', created_at: 10, settled_at: null };

  it('starts', () => {
    expect(fold([])).toEqual({ run: null, seq: 0, tasks: new Map() });
    expect(fold(log(started))).toEqual({ run: running, seq: 1, tasks: new Map() });
  });

  it.each([
    [{ event: 'workflow:paused', data: {} }, 'paused', null],
    [{ event: 'workflow:resumed', data: {} }, 'running', null],
    [{ event: 'workflow:completed', data: {} }, 'completed', 20],
    [{ event: 'workflow:failed', data: { failed: 1 } }, 'failed', 20],
    [{ event: 'workflow:cancelled', data: { reason: null } }, 'cancelled', 20],
  ] as const)('%o', (happening, status, settled_at) =>
    expect(runAfter(happening)).toEqual({ ...running, status, settled_at }),
  );

  it('is opened again', () => {
    const ended: Happening = { event: 'workflow:failed', data: { failed: 1 } };
    expect(runAfter(ended, { event: 'workflow:reopened', data: { task_id: 't' } })).toEqual(running);
  });

  it('without an id is still one', () => {
    const [event] = log(started);
    expect(fold(event === undefined ? [] : [{ ...event, workflow_id: null }]).run?.workflow_id).toBe('');
  });
});

describe('a task in the log', () => {
  const fresh = {
    ...introduction,
    task_id: 't',
    created_at: 10,
    status: 'queued',
    attempt_count: 0,
    attempt_base: 0,
    generation: 0,
    attempts: [],
    budget_from: null,
    settled_at: null,
    error: null,
    result_hash: null,
    provider: null,
    due_at: null,
  };
  const running = { attempt: 1, started_at: 1, ended_at: null, provider: 'p', error: null };
  const started = { ...fresh, attempt_count: 1, budget_from: 1, provider: 'p', attempts: [running] };

  it('is introduced by its first event', () => {
    expect(taskAfter(introduced)).toEqual(fresh);
    expect(taskAfter(waiting)).toEqual({ ...fresh, status: 'waiting' });
    expect(taskAfter(waiting, queued('dependencies_settled'))).toEqual(fresh);
  });

  it('goes step by step to its attempt', () => {
    const [validated, routed, begun] = attempt(1) as [Happening, Happening, Happening];
    expect(taskAfter(introduced, validated)).toEqual({ ...fresh, status: 'validated' });
    expect(taskAfter(introduced, validated, routed)).toEqual({ ...fresh, status: 'routed', provider: 'p' });
    expect(taskAfter(introduced, validated, routed, begun)).toEqual({ ...started, status: 'executing' });
  });

  it('completes, and forgets its last error', () => {
    const completed: Happening = {
      event: 'task:completed',
      task_id: 't',
      data: { attempt: 2, result_hash: '#r' },
    };
    expect(
      taskAfter(introduced, ...attempt(1), retrying(true), queued('due'), ...attempt(2, null), completed),
    ).toEqual({
      ...started,
      status: 'completed',
      attempt_count: 2,
      provider: null,
      attempts: [
        { ...running, ended_at: 50, error },
        { attempt: 2, started_at: 2, ended_at: 100, provider: null, error: null },
      ],
      settled_at: 100,
      result_hash: '#r',
    });
  });

  it.each([
    [true, 0],
    [false, 1],
  ])('waits for its next attempt; the one before counts: %s', (counts, attempt_base) => {
    const ended = [{ ...running, ended_at: 50, error }];
    const later = taskAfter(introduced, ...attempt(1), retrying(counts));
    expect(later).toEqual({
      ...started,
      status: 'retrying',
      attempts: ended,
      attempt_base,
      error,
      due_at: 777,
    });
    expect(taskAfter(introduced, ...attempt(1), retrying(counts), queued('due'))).toEqual({
      ...later,
      status: 'queued',
      due_at: null,
    });
  });

  it('goes back to the queue when it was interrupted', () => {
    const interrupted: Happening = { event: 'task:interrupted', task_id: 't', data: { attempt: 1, error } };
    const ended = { ...started, error, attempts: [{ ...running, ended_at: 50, error }] };
    expect(taskAfter(introduced, ...attempt(1), interrupted)).toEqual({ ...ended, status: 'executing' });
    expect(taskAfter(introduced, ...attempt(1), interrupted, queued('rescued'))).toEqual(ended);
  });

  it('fails, also before it came to a call', () => {
    const ended = [{ ...running, ended_at: 50, error }];
    expect(taskAfter(introduced, ...attempt(1), failed)).toEqual({
      ...started,
      status: 'failed',
      attempts: ended,
      error,
      settled_at: 50,
    });
    expect(taskAfter(introduced, failed)).toEqual({ ...fresh, status: 'failed', error, settled_at: 20 });
    const later = taskAfter(introduced, ...attempt(1), retrying(true), failed);
    expect(later).toMatchObject({ status: 'failed', attempts: ended, due_at: null });
  });

  it('is cancelled with a reason or without', () => {
    const cancelled = (reason: string | null): Happening => ({
      event: 'task:cancelled',
      task_id: 't',
      data: { reason },
    });
    expect(taskAfter(introduced, cancelled(null))).toEqual({
      ...fresh,
      status: 'cancelled',
      error: { code: 2009, message: 'cancelled', data: { error_code: 'GLZ2009' } },
      settled_at: 20,
    });
    const stopped = taskAfter(introduced, ...attempt(1), cancelled('stop'));
    expect(stopped?.error?.message).toBe('stop');
    expect(stopped?.attempts[0]).toMatchObject({ ended_at: 50, error: { message: 'stop' } });
  });

  it('is skipped, and waits again', () => {
    const skipped: Happening = { event: 'task:skipped', task_id: 't', data: { because: 'x' } };
    const again: Happening = { event: 'task:waiting', task_id: 't', data: { reason: 'dependency_reopened' } };
    expect(taskAfter(waiting, skipped)).toEqual({ ...fresh, status: 'skipped', settled_at: 20 });
    expect(taskAfter(waiting, skipped, again)).toEqual({ ...fresh, status: 'waiting' });
  });

  it('is reopened: a new beginning that remembers its attempts', () => {
    const ended = [{ ...running, ended_at: 50, error }];
    const anew = { ...started, attempts: ended, attempt_base: 1, generation: 1, budget_from: null };
    expect(taskAfter(introduced, ...attempt(1), failed, queued('reopened'))).toEqual({
      ...anew,
      status: 'queued',
    });
    const waits: Happening = { event: 'task:waiting', task_id: 't', data: { reason: 'reopened' } };
    expect(taskAfter(introduced, ...attempt(1), failed, waits)).toEqual({ ...anew, status: 'waiting' });
    const twice = taskAfter(introduced, failed, queued('reopened'), failed, queued('reopened'));
    expect(twice?.generation).toBe(2);
  });

  it('keeps its newest attempts', () => {
    const many = Array.from({ length: 120 }, (_, index) => [
      ...attempt(index + 1),
      retrying(true),
      queued('due'),
    ]);
    const task = taskAfter(introduced, ...many.flat());
    expect([task?.attempts.length, task?.attempts[0]?.attempt, task?.attempts[99]?.attempt]).toEqual([
      100, 21, 120,
    ]);
    expect(task?.budget_from).toBe(1);
  });
});

describe('a log that is not one', () => {
  const refused = (events: readonly Event[]) => {
    try {
      fold(events);
      return null;
    } catch (thrown) {
      const { code, message, details } = thrown as { code: string; message: string; details: object };
      return { code, message, details };
    }
  };
  const corrupt = (message: string) => ({
    code: 'GLZ3005',
    message,
    details: { reason: 'the log of a run cannot be read' },
  });
  const [first, second, third] = log(introduced, ...attempt(1)) as [Event, Event, Event];

  it.each([
    ['has a gap', [first, third], 'event 3 (task:routed)', 1],
    ['is out of order', [first, second, first], 'event 1 (task:queued)', 2],
    ['repeats an event', [first, first], 'event 1 (task:queued)', 1],
    ['begins in the middle', [second], 'event 2 (task:validated)', 0],
  ])('%s', (_, events, name, last) => {
    expect(refused(events)).toEqual(
      corrupt(`${name} follows number ${last} of its run: the log has a gap or is out of order`),
    );
  });

  it('names a task nobody introduced', () => {
    expect(refused(log(...attempt(1)))).toEqual(
      corrupt('event 1 (task:validated) is about the task t, which the log never introduced'),
    );
  });

  it('introduces a task twice', () => {
    expect(refused(log(introduced, introduced))).toEqual(
      corrupt('event 2 (task:queued) introduces the task t a second time'),
    );
  });

  it('says something of a run that never started', () => {
    expect(refused(log({ event: 'workflow:paused', data: {} }))).toEqual(
      corrupt('event 1 (workflow:paused) comes before the start of its run'),
    );
  });

  it('holds what belongs to no run', () => {
    const stranger: Happening = { event: 'provider:connected', data: { provider: 'p', protocol: 'x/v1' } };
    expect(refused(log({ event: 'workflow:started', data: start }, stranger))).toEqual(
      corrupt('event 2 (provider:connected) does not belong to a run'),
    );
  });

  it.each([
    [[introduced, queued('dependencies_settled')], 'release'],
    [[waiting, queued('due')], 'become due'],
    [[introduced, queued('rescued')], 'rescue'],
    [[introduced, { event: 'task:queued', task_id: 't', data: { reason: 'submitted' } }], 'enqueue'],
    [[introduced, { event: 'task:skipped', task_id: 't', data: { because: 'x' } }], 'skip'],
  ] as [Happening[], string][])('tells of what cannot be: %#', (happenings, verb) => {
    expect(refused(log(...happenings))?.message).toContain(` cannot ${verb}`);
  });
});

describe('foldEvent', () => {
  it('uses the state up instead of copying it', () => {
    const [first, second] = log(introduced, ...attempt(1)) as [Event, Event];
    const state: FoldedRun = foldEvent(emptyRun(), first);
    const next = foldEvent(state, second);
    expect(next.tasks).toBe(state.tasks);
    expect([state.seq, next.seq]).toEqual([1, 2]);
    expect(emptyRun().tasks).not.toBe(emptyRun().tasks);
  });
});
