import { describe, expect, it } from 'vitest';
import type { Happening } from './events.ts';
import { fold } from './fold.ts';
import { trouble } from './testing/builders.suite.ts';
import {
  attempt,
  error,
  failed,
  introduced,
  introduction,
  log,
  queued,
  retrying,
  waiting,
} from './testing/log.suite.ts';

function taskAfter(...happenings: readonly Happening[]) {
  return fold(log(...happenings)).tasks.get('t');
}

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

  it('goes by the name of the provider that answered, where another was asked first', () => {
    const answered: Happening = { event: 'task:routed', task_id: 't', data: { provider: 'q' } };
    const attempts = [{ ...running, provider: 'q' }];
    expect(taskAfter(introduced, ...attempt(1), answered)).toEqual({
      ...started,
      status: 'executing',
      provider: 'q',
      attempts,
    });
  });

  it('goes step by step to its attempt', () => {
    const [validated, routed, begun] = attempt(1) as [Happening, Happening, Happening];
    expect(taskAfter(introduced, validated)).toEqual({ ...fresh, status: 'validated' });
    expect(taskAfter(introduced, validated, routed)).toEqual({ ...fresh, status: 'routed', provider: 'p' });
    expect(taskAfter(introduced, validated, routed, begun)).toEqual({ ...started, status: 'executing' });
  });

  it('shows what its attempt tells while it runs, and no longer', () => {
    const told = (data: object): Happening => ({
      event: 'task:progress',
      task_id: 't',
      data: { attempt: 1, ...data },
    });
    const begun = [introduced, ...attempt(1)];
    const first = taskAfter(...begun, told({ progress: 1, total: 4, text: 'one ' }));
    const shown = { progress: 1, total: 4, message: null, text: 'one ', at: 50 };
    expect(first).toEqual({ ...started, status: 'executing', attempts: [{ ...running, progress: shown }] });
    const second = taskAfter(
      ...begun,
      told({ progress: 1, text: 'one ' }),
      told({ message: 'm', text: 'two' }),
    );
    expect(second?.attempts[0]?.progress).toEqual({
      progress: 1,
      total: null,
      message: 'm',
      text: 'one two',
      at: 60,
    });
    const ended = taskAfter(...begun, told({ progress: 1 }), failed);
    expect(ended?.attempts).toEqual([{ ...running, ended_at: 60, error }]);
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
    const withdrawn: Happening = { ...interrupted, data: { attempt: 1, error, counts: false } };
    expect(taskAfter(introduced, ...attempt(1), withdrawn, queued('rescued'))).toEqual({
      ...ended,
      attempt_base: 1,
    });
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
    const attempt_error = trouble('GLZ2002');
    const outOfTime: Happening = {
      event: 'task:failed',
      task_id: 't',
      data: { attempt: 1, error, attempt_error },
    };
    expect(taskAfter(introduced, ...attempt(1), outOfTime)).toMatchObject({
      attempts: [{ error: attempt_error }],
      error,
    });
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
