import { describe, expect, it } from 'vitest';
import { waitOf } from '../outside.ts';
import { defaultRetry } from '../retry.ts';
import {
  done,
  failure,
  lone,
  outside,
  responded,
  settled,
  spec,
  started,
  workflow,
} from '../testing/builders.suite.ts';
import { story } from '../testing/memory.suite.ts';
import { asked, claimed, left, next, row, verdict } from '../testing/outside.suite.ts';
import type { Write } from '../writes.ts';

const wake: Write = { kind: 'wake_due', limit: 10 };

describe('an attempt that waits for someone', () => {
  it('ends without failure, does not count, and leaves the task to nobody', () => {
    const { memory, task } = claimed(lone('t', { total_timeout: 60 }));
    const { verdicts, changes } = memory.commit(settled(task, outside({ token: 'mark', after_ms: 5_000 })));
    expect(verdicts).toEqual([
      { ok: true, answer: { recorded: true, status: 'input_required', due_in_ms: 5_000 } },
    ]);
    const until = memory.now + 5_000;
    expect(row(memory)).toMatchObject({
      status: 'input_required',
      owner: null,
      attempt_count: 1,
      attempt_base: 1,
      due_at: until,
      error: null,
    });
    expect(row(memory).attempts).toEqual([
      {
        ...{ attempt: 1, started_at: memory.now, ended_at: memory.now, provider: 'p1', error: null },
        outside: {
          kept: { provider: 'p1', hash: '#{"remote":7}', text: '{"remote":7}' },
          wait: {
            ...{ kind: 'input', ask: { question: 'which one?' }, until, late: 'fail' },
            ...{ token: 'mark', answer: null },
          },
        },
      },
    ]);
    expect(story(changes).at(-1)).toBe(
      `task:input_required t {"attempt":1,"kept_hash":"#{\\"remote\\":7}","kind":"input","ask":{"question":"which one?"},"until":${until},"late":"fail"}`,
    );
    expect(memory.disagreements()).toEqual([]);
  });

  it('keeps the task executing where a service is to call back', () => {
    const { memory } = asked({ kind: 'notification', late: 'resume' });
    expect(row(memory)).toMatchObject({ status: 'executing', owner: null, due_at: null });
    expect(waitOf(row(memory))).toMatchObject({ attempt: 1, wait: { kind: 'notification' } });
    expect(memory.claim('e')).toEqual([]);
    memory.now += 1e9;
    expect(memory.write({ kind: 'rescue', limit: 10 })).toEqual({ rescued: 0, more: false });
    expect(memory.disagreements()).toEqual([]);
  });

  it('is bounded by the total timeout, which goes on meanwhile', () => {
    const { memory } = asked({ after_ms: 90_000, late: 'resume' }, lone('t', { total_timeout: 60 }));
    expect(row(memory).due_at).toBe(memory.now + 60_000);
    memory.now += 60_000;
    memory.write({ kind: 'wake_due', limit: 10 });
    expect(row(memory)).toMatchObject({ status: 'failed', error: { data: { error_code: 'GLZ2003' } } });
    expect(row(memory).error?.message).toContain('total timeout of 60 s');
    expect(left(memory)).toEqual({});
    expect(memory.disagreements()).toEqual([]);
  });

  it('waits as long as it takes where nothing else is said', () => {
    const { memory } = asked({}, lone('t', { total_timeout: 60 }));
    expect(row(memory).due_at).toBe(memory.now + 60_000);
    const { memory: unbounded } = asked();
    expect(row(unbounded).due_at).toBeNull();
  });

  it('is refused before its call was made', () => {
    const { memory, task } = claimed();
    const { verdicts } = memory.commit(settled(task, outside(), { start: null }));
    expect(verdicts).toMatchObject([{ ok: false, error: { data: { error_code: 'GLZ1011' } } }]);
  });

  it('stays as it is while its run is paused, and takes its answer then', () => {
    const { memory } = asked({}, workflow({ a: [], b: ['a'] }));
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    expect(row(memory, 'w.a').status).toBe('input_required');
    memory.write(responded('w.a', '"x"'));
    expect(row(memory, 'w.a')).toMatchObject({ status: 'queued', parked: 'paused' });
    memory.write({ kind: 'resume_run', workflow_id: 'w' });
    memory.write(settled(next(memory), done, { start: { attempt: 2, provider: 'p1', ago_ms: 0 } }));
    expect(row(memory, 'w.b').status).toBe('queued');
    expect(memory.disagreements()).toEqual([]);
  });

  it.each(['input', 'notification'] as const)('can be cancelled, waiting for %s', (kind) => {
    const { memory } = asked({ kind, after_ms: 10 });
    memory.write({ kind: 'cancel_task', task_id: 't', reason: 'enough' });
    expect(row(memory)).toMatchObject({ status: 'cancelled', due_at: null });
    expect(left(memory)).toEqual({});
    expect(verdict(memory, responded('t', '1'))).toMatchObject({
      message: 'the task t is cancelled and waits for no answer',
    });
  });

  it('cannot be retried before it has ended, and begins anew then', () => {
    const { memory } = asked();
    expect(verdict(memory, { kind: 'retry_task', task_id: 't' })).toMatchObject({ code: 1011 });
    memory.write({ kind: 'cancel_task', task_id: 't', reason: null });
    memory.write({ kind: 'retry_task', task_id: 't' });
    expect(row(memory)).toMatchObject({ status: 'queued', generation: 1 });
    memory.write(started(next(memory)));
    expect(left(memory)).toEqual({});
    expect(memory.disagreements()).toEqual([]);
  });
});

describe('an answer', () => {
  it('puts the task back into the queue, with what was kept', () => {
    const { memory } = asked({ after_ms: 1000 }, lone('t', { total_timeout: 60 }));
    memory.now += 500;
    const { verdicts, changes } = memory.commit(responded('t', '{"a":1}'));
    expect(verdicts).toEqual([{ ok: true, answer: { status: 'queued', recorded: true } }]);
    expect(story(changes)).toEqual([
      'task:responded t {"attempt":1,"response_hash":"#{\\"a\\":1}"}',
      'task:queued t {"reason":"responded"}',
    ]);
    expect(row(memory)).toMatchObject({ due_at: memory.now + 59_500, budget_from: null, parked: null });
    expect(left(memory)).toEqual({ kept: '{"remote":7}', response: '{"a":1}', early: undefined });
    expect(memory.disagreements()).toEqual([]);
  });

  it('does not use up an attempt, however often it is asked', () => {
    const one = spec({ retry_config: { ...defaultRetry, max_attempts: 1, jitter: 0 } });
    const { memory } = asked({}, lone('t', { spec: one }));
    for (let attempt = 2; attempt < 6; attempt++) {
      memory.write(responded('t', String(attempt)));
      memory.write(
        settled(next(memory), outside({ kept: attempt }), { start: { attempt, provider: 'p1', ago_ms: 0 } }),
      );
      expect(left(memory)).toEqual({ kept: String(attempt), response: undefined, early: undefined });
    }
    memory.write(responded('t', '"last"'));
    memory.write(settled(next(memory), failure(), { start: { attempt: 6, provider: 'p1', ago_ms: 0 } }));
    expect(row(memory)).toMatchObject({ status: 'failed', attempt_count: 6, attempt_base: 5 });
    expect(row(memory).attempts.map(({ outside }) => outside?.wait?.ask)).toEqual([
      ...[null, null, null, null, null],
      undefined,
    ]);
    expect(memory.disagreements()).toEqual([]);
  });

  it('is taken once: the same again is no error and changes nothing, another one is refused', () => {
    const { memory } = asked();
    memory.write(responded('t', '"yes"'));
    const before = row(memory);
    expect(verdict(memory, responded('t', '"yes"'))).toEqual({ status: 'queued', recorded: false });
    expect(verdict(memory, responded('t', '"yes"', { attempt: 1 }))).toMatchObject({ recorded: false });
    expect(verdict(memory, responded('t', '"no"'))).toMatchObject({
      code: 1011,
      message: 'the task t is queued and waits for no answer',
    });
    expect(row(memory)).toEqual(before);
    memory.write(settled(next(memory), done, { start: { attempt: 2, provider: 'p1', ago_ms: 0 } }));
    expect(verdict(memory, responded('t', '"yes"'))).toEqual({ status: 'completed', recorded: false });
  });

  it('said again for the question before is not taken for the next one', () => {
    const { memory } = asked();
    memory.write(responded('t', '"yes"', { attempt: 1 }));
    memory.write(settled(next(memory), outside(), { start: { attempt: 2, provider: 'p1', ago_ms: 0 } }));
    expect(verdict(memory, responded('t', '"yes"', { attempt: 1 }))).toEqual({
      status: 'input_required',
      recorded: false,
    });
    expect(verdict(memory, responded('t', '"no"', { attempt: 1 }))).toMatchObject({
      message: 'the task t has asked again since: attempt 2 waits for an answer now',
      data: { field: 'attempt' },
    });
    expect(verdict(memory, responded('t', '"yes"', { attempt: 2 }))).toMatchObject({ recorded: true });
  });

  it('has to come with the right token, where it comes with one', () => {
    const { memory } = asked({ token: 'mark' });
    expect(verdict(memory, responded('t', '1', { token: 'other' }))).toMatchObject({
      data: { error_code: 'GLZ4002' },
    });
    expect(row(memory).status).toBe('input_required');
    expect(verdict(memory, responded('t', '1', { token: 'mark' }))).toMatchObject({ recorded: true });
    expect(verdict(memory, responded('t', '1', { token: 'other' }))).toMatchObject({ code: 1011 });
    expect(verdict(memory, responded('t', '1', { token: 'mark' }))).toMatchObject({ recorded: false });
  });

  it('with a token is no answer to what only people may answer', () => {
    const { memory } = asked({ token: null });
    expect(verdict(memory, responded('t', '1', { token: 'mark' }))).toMatchObject({ code: 4002 });
  });

  it('to a task that never asked, or that is not there, is refused', () => {
    const { memory } = claimed();
    expect(verdict(memory, responded('t', '1'))).toMatchObject({ code: 1011, data: { field: 'task_id' } });
    expect(verdict(memory, responded('t', '1', { attempt: 1 }))).toMatchObject({ code: 1011 });
    expect(verdict(memory, responded('none', '1'))).toMatchObject({ code: 1010 });
  });
});

describe('a question that nobody answers in time', () => {
  it.each([
    ['input', 'nobody answered in the time that attempt 1 gave'],
    ['auth', 'nobody answered in the time that attempt 1 gave'],
    ['notification', 'no notification came in the time that attempt 1 gave'],
  ] as const)('fails the task that waits for %s', (kind, message) => {
    const { memory } = asked({ kind, after_ms: 1000 }, workflow({ a: [], b: ['a'] }));
    memory.now += 999;
    expect(memory.write({ kind: 'wake_due', limit: 10 })).toEqual({ moved: 0, more: false, next_in_ms: 1 });
    memory.now += 1;
    expect(memory.write({ kind: 'wake_due', limit: 10 })).toMatchObject({ moved: 1 });
    expect(row(memory, 'w.a')).toMatchObject({
      status: 'failed',
      error: { message, data: { error_code: 'GLZ2003', attempt: 1 } },
    });
    expect(row(memory, 'w.b').status).toBe('skipped');
    expect(left(memory, 'w.a')).toEqual({});
    expect(memory.disagreements()).toEqual([]);
  });

  it.each(['input', 'notification'] as const)(
    'goes on without an answer where that was asked for: %s',
    (kind) => {
      const { memory } = asked({ kind, after_ms: 1000, late: 'resume' });
      memory.now += 1000;
      const { changes } = memory.commit(wake);
      expect(story(changes)).toEqual(['task:queued t {"reason":"unanswered"}']);
      expect(row(memory)).toMatchObject({ status: 'queued', due_at: null, budget_from: null });
      expect(left(memory)).toEqual({ kept: '{"remote":7}', response: undefined, early: undefined });
      expect(verdict(memory, responded('t', '1'))).toMatchObject({ code: 1011 });
    },
  );
});
