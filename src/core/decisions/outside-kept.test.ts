import { describe, expect, it } from 'vitest';
import {
  done,
  failure,
  kept,
  lone,
  outside,
  responded,
  settled,
  started,
  workflow,
} from '../testing/builders.suite.ts';
import { story } from '../testing/memory.suite.ts';
import { asked, claimed, left, next, row, verdict } from '../testing/outside.suite.ts';
import type { Write } from '../writes.ts';

describe('what an attempt keeps', () => {
  it('is told by its hash, and brings the start along that is still on its way', () => {
    const { memory, task } = claimed();
    const { verdicts, changes } = memory.commit(kept(task, '1'), kept(task, '2'));
    expect(verdicts.map((one) => one.ok && one.answer)).toEqual([{ recorded: true }, { recorded: true }]);
    expect(story(changes).slice(3)).toEqual([
      'task:kept t {"attempt":1,"kept_hash":"#1"}',
      'task:kept t {"attempt":1,"kept_hash":"#2"}',
    ]);
    expect(left(memory)).toMatchObject({ kept: '2' });
    expect(memory.disagreements()).toEqual([]);
  });

  it('is refused from whoever does not hold the attempt', () => {
    const { memory, task } = claimed();
    const { verdicts, changes } = memory.commit(
      kept({ ...task, fence: task.fence - 1 }, '1'),
      kept(task, '1', 2),
    );
    expect(verdicts.map((one) => one.ok && one.answer)).toEqual([{ recorded: false }, { recorded: false }]);
    expect(story(changes)).toEqual([]);
  });

  it('is left to the next attempt where the engine is lost, once and again', () => {
    const { memory, task } = claimed();
    memory.write(kept(task, '1'));
    for (let attempt = 2; attempt < 4; attempt++) {
      memory.write({ kind: 'leave', owner: 'e' });
      memory.write({ kind: 'rescue', limit: 10 });
      expect(left(memory)).toMatchObject({ kept: '1' });
      memory.write({ kind: 'join', owner: 'e', ttl_ms: 1e9 });
      memory.write(started(next(memory)));
      expect(left(memory)).toMatchObject({ kept: '1' });
      expect(row(memory).attempts.at(-2)).not.toHaveProperty('outside');
    }
    expect(memory.disagreements()).toEqual([]);
  });

  it('is left to the next attempt with the answer, until one has ended by itself', () => {
    const { memory } = asked();
    memory.write(responded('t', '"yes"'));
    const second = next(memory);
    memory.write(started(second));
    memory.write(settled(second, { word: 'withdrawn' }, { start: null }));
    expect(left(memory)).toMatchObject({ kept: '{"remote":7}', response: '"yes"' });
    const third = next(memory);
    const again = { word: 'again', after_ms: 5, reason: 'busy' } as const;
    memory.write(settled(third, again, { start: { attempt: 3, provider: null, ago_ms: 0 } }));
    expect(row(memory).attempts.at(-1)?.outside?.kept).toMatchObject({ provider: 'p1' });
    memory.now += 5;
    memory.write({ kind: 'wake_due', limit: 1 });
    expect(left(memory)).toMatchObject({ kept: '{"remote":7}', response: '"yes"' });
    memory.write(
      settled(next(memory), failure('GLZ2002'), { start: { attempt: 4, provider: 'p1', ago_ms: 0 } }),
    );
    expect(row(memory).status).toBe('retrying');
    expect(left(memory)).toEqual({});
    expect(memory.disagreements()).toEqual([]);
  });
});

describe('a notification that comes before it is waited for', () => {
  const early = (response: string): Write => responded('t', response, { token: 'mark', early: true });

  it('is taken as soon as the attempt waits, the newest of several', () => {
    const { memory, task } = claimed();
    memory.write(started(task));
    expect(verdict(memory, early('1'))).toEqual({ status: 'executing', recorded: true });
    expect(verdict(memory, early('2'))).toEqual({ status: 'executing', recorded: true });
    expect(verdict(memory, early('2'))).toEqual({ status: 'executing', recorded: false });
    const { verdicts, changes } = memory.commit(
      settled(task, outside({ kind: 'notification', token: 'mark' }), { start: null }),
    );
    expect(verdicts).toMatchObject([{ ok: true, answer: { recorded: true, status: 'queued' } }]);
    expect(story(changes).map((line) => line.split(' ')[0])).toEqual([
      'task:notification_awaited',
      'task:responded',
      'task:queued',
    ]);
    expect(left(memory)).toEqual({ kept: '{"remote":7}', response: '2', early: undefined });
    expect(verdict(memory, responded('t', '2', { token: 'mark' }))).toMatchObject({ recorded: false });
    expect(memory.disagreements()).toEqual([]);
  });

  it('waits with a task that is asked something else, and is gone with its answer', () => {
    const { memory } = asked({ token: null });
    expect(verdict(memory, early('1'))).toEqual({ status: 'input_required', recorded: true });
    expect(left(memory)).toMatchObject({ early: '1' });
    memory.write(responded('t', '"yes"'));
    expect(left(memory)).toEqual({ kept: '{"remote":7}', response: '"yes"', early: undefined });
    expect(memory.disagreements()).toEqual([]);
  });

  it('goes on to the next attempt, and waits through a question to people', () => {
    const { memory, task } = claimed();
    memory.write(started(task));
    memory.write(early('1') as never);
    memory.write(settled(task, { word: 'withdrawn' }, { start: null }));
    const second = next(memory);
    memory.write(settled(second, outside(), { start: { attempt: 2, provider: 'p1', ago_ms: 0 } }));
    expect(left(memory)).toMatchObject({ early: '1', response: undefined });
    expect(row(memory).status).toBe('input_required');
    expect(memory.disagreements()).toEqual([]);
  });

  it('is refused before the first attempt and after the end', () => {
    const { memory, task } = claimed();
    expect(verdict(memory, early('1'))).toMatchObject({ code: 1011 });
    memory.write(settled(task, done));
    expect(verdict(memory, early('1'))).toMatchObject({ code: 1011 });
  });
});

describe('cancelling a task that kept something', () => {
  const abandoned = { task_id: 't', generation: 0, provider: 'p1', kept: '{"remote":7}' };
  const cancel: Write = { kind: 'cancel_task', task_id: 't', reason: null };

  it('says what its provider works for in vain, where no engine holds it', () => {
    const { memory } = asked();
    expect(verdict(memory, cancel)).toEqual({
      status: 'cancelled',
      cancelled: true,
      abandoned: [abandoned],
    });
    expect(verdict(memory, cancel)).toEqual({ status: 'cancelled', cancelled: false });
  });

  it('says the same for each task of a run', () => {
    const { memory } = asked({}, workflow({ a: [], b: ['a'] }));
    expect(verdict(memory, { kind: 'cancel_run', workflow_id: 'w', reason: null })).toEqual({
      status: 'cancelled',
      cancelled: 2,
      abandoned: [{ ...abandoned, task_id: 'w.a' }],
    });
  });

  it('leaves it to the engine that holds it to end the call', () => {
    const { memory } = asked();
    memory.write(responded('t', '1'));
    next(memory);
    expect(verdict(memory, cancel)).toEqual({ status: 'cancelled', cancelled: true });
  });
});

describe('a task that kept something and whose time is up', () => {
  const abandoned = [{ task_id: 't', generation: 0, provider: 'p1', kept: '{"remote":7}' }];
  const wake: Write = { kind: 'wake_due', limit: 10 };

  it('says what its provider works for in vain', () => {
    const { memory } = asked({}, lone('t', { total_timeout: 60 }));
    memory.now += 60_000;
    expect(verdict(memory, wake)).toEqual({ moved: 1, more: false, next_in_ms: null, abandoned });
  });

  it('says the same where nobody answered in time, unless it goes on', () => {
    const { memory } = asked({ after_ms: 1000 });
    memory.now += 1000;
    expect(verdict(memory, wake)).toMatchObject({ moved: 1, abandoned });
    const { memory: other } = asked({ after_ms: 1000, late: 'resume' });
    other.now += 1000;
    expect(verdict(other, wake)).toEqual({ moved: 1, more: false, next_in_ms: null });
  });
});
