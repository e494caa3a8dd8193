import { describe, expect, it } from 'vitest';
import { lineName, parkedFor, unservedName } from '../parked.ts';
import type { TaskRow } from '../records.ts';
import {
  failure,
  lone,
  settled,
  started,
  submitted,
  taskRow,
  trouble,
  workflow,
} from '../testing/builders.suite.ts';
import { Memory, story } from '../testing/memory.suite.ts';
import type { NewRun, Write } from '../writes.ts';

const wake: Write = { kind: 'wake_due', limit: 10 };
const retry = (task_id: string): Write => ({ kind: 'retry_task', task_id });

function row(memory: Memory, task_id: string): TaskRow {
  return memory.tasks.get(task_id) ?? taskRow();
}

/** A store in which each task of the runs was claimed, failed once, and is due in a second. */
function retrying(...runs: readonly NewRun[]): Memory {
  const memory = new Memory();
  memory.write(submitted(...runs));
  for (const task of memory.claim('e')) memory.write(settled(task, failure()));
  return memory;
}

describe('waking', () => {
  it('queues a retry when its time has come, not a millisecond before', () => {
    const memory = retrying(lone('t'));
    memory.now += 999;
    const early = memory.commit(wake);
    expect(early.verdicts).toEqual([{ ok: true, answer: { moved: 0, more: false, next_in_ms: 1 } }]);
    expect(early.changes.tasks).toEqual([]);
    memory.now += 1;
    const before = row(memory, 't');
    const { verdicts, changes } = memory.commit(wake);
    expect(verdicts).toEqual([{ ok: true, answer: { moved: 1, more: false, next_in_ms: null } }]);
    expect(changes.tasks).toEqual([{ ...before, status: 'queued', rank: 1_121_000, due_at: null, seq: 6 }]);
    expect(story(changes)).toEqual(['task:queued t {"reason":"due"}']);
  });

  it('keeps in mind when a task it queues is out of time', () => {
    const memory = retrying(lone('t', { total_timeout: 5 }));
    memory.now += 1_000;
    expect(memory.write({ kind: 'wake_due', limit: 10 })).toEqual({
      moved: 1,
      more: false,
      next_in_ms: 4_000,
    });
    expect(row(memory, 't').due_at).toBe(1_005_000);
  });

  it('parks what belongs to a paused run', () => {
    const memory = retrying(workflow({ a: [] }));
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    memory.now += 1_000;
    memory.commit(wake);
    expect(row(memory, 'w.a')).toMatchObject({ status: 'queued', parked: 'paused' });
  });

  it('fails what is out of time, with the last error as the reason', () => {
    const memory = retrying(lone('t', { total_timeout: 1.5 }));
    memory.now += 1_500;
    const { verdicts, changes } = memory.commit(wake);
    const error = {
      code: 2003,
      message: 'the task did not finish within its total timeout of 1.5 s',
      data: { error_code: 'GLZ2003', field: 'total_timeout', reason: 'last error: trouble GLZ2001' },
    };
    expect(verdicts[0]).toMatchObject({ ok: true, answer: { moved: 1 } });
    expect(changes.tasks[0]).toMatchObject({ status: 'failed', error, settled_at: 1_001_500, due_at: null });
    expect(changes.happenings[0]?.events).toEqual([
      { event: 'task:failed', task_id: 't', data: { attempt: 1, error } },
    ]);
  });

  it('fails what never ran in its time, to the millisecond', () => {
    const memory = new Memory();
    memory.write(submitted(lone('t', { total_timeout: 2 })));
    memory.now += 1_999;
    expect(memory.write({ kind: 'wake_due', limit: 10 })).toEqual({ moved: 0, more: false, next_in_ms: 1 });
    memory.now += 1;
    memory.commit(wake);
    expect(row(memory, 't').error?.data).toMatchObject({ error_code: 'GLZ2003', field: 'total_timeout' });
  });

  it.each([
    [null, 'its turn in the queue of a/v1'],
    [
      lineName({ kind: 'breaker', key: 'provider one for m' }),
      'a service to be tried again after failures (provider one for m)',
    ],
    [lineName({ kind: 'rate', key: 'a/v1 user=7' }), 'its turn by a rate (a/v1 user=7)'],
    [parkedFor(unservedName('m', 'large')), 'a provider of a/v1 m model=large'],
    ['paused', 'its run to be resumed'],
  ])('fails what never ran in its time and says what it waited for: parked as %s', (parked, waited) => {
    const memory = new Memory();
    memory.write(submitted(lone('t', { total_timeout: 2, lane: 'a/v1' })));
    memory.tasks.set('t', { ...row(memory, 't'), parked });
    memory.now += 2_000;
    memory.commit(wake);
    expect(row(memory, 't').error?.data.reason).toBe(`it was waiting for ${waited}`);
  });

  it('fails what waited for another try with its last error, and what it waited for then', () => {
    const memory = retrying(lone('t', { total_timeout: 5 }));
    memory.now += 1_000;
    memory.commit(wake);
    memory.tasks.set('t', {
      ...row(memory, 't'),
      parked: lineName({ kind: 'concurrency', key: 'provider one' }),
    });
    memory.now += 4_000;
    memory.commit(wake);
    expect(row(memory, 't').error?.data.reason).toBe(
      'last error: trouble GLZ2001; it was waiting for a place (provider one)',
    );
  });

  it('does as much as it may, earliest first, and says whether there may be more', () => {
    const memory = retrying(lone('a'), lone('b'), lone('c'));
    memory.tasks.set('c', { ...row(memory, 'c'), due_at: 1_000_500 });
    memory.now += 1_000;
    expect(memory.write({ kind: 'wake_due', limit: 2 })).toEqual({ moved: 2, more: true, next_in_ms: null });
    expect(['a', 'b', 'c'].map((id) => row(memory, id).status)).toEqual(['queued', 'retrying', 'queued']);
    expect(memory.write({ kind: 'wake_due', limit: 2 })).toEqual({ moved: 1, more: false, next_in_ms: null });
  });

  it('says so also when the commit itself moved some of them', () => {
    const memory = retrying(lone('a'), lone('b'), lone('c'));
    memory.now += 1_000;
    const cancelled: Write = { kind: 'cancel_task', task_id: 'a', reason: null };
    const { verdicts } = memory.commit(cancelled, { kind: 'wake_due', limit: 2 });
    expect(verdicts[1]).toEqual({ ok: true, answer: { moved: 1, more: true, next_in_ms: null } });
  });

  it('knows the next time also of what the commit itself put down', () => {
    const memory = retrying(lone('t'));
    const later = submitted(lone('u', { total_timeout: 60 }), lone('v', { total_timeout: 0.4 }), lone('w'));
    expect(memory.commit(wake, later, wake).verdicts.map((verdict) => verdict.ok && verdict.answer)).toEqual([
      { moved: 0, more: false, next_in_ms: 1_000 },
      expect.anything(),
      { moved: 0, more: false, next_in_ms: 400 },
    ]);
    const other = new Memory();
    const { verdicts } = other.commit(submitted(lone('u', { total_timeout: 60 })), wake);
    expect(verdicts[1]).toMatchObject({ answer: { next_in_ms: 60_000 } });
  });

  it('leaves to an engine what it holds', () => {
    const memory = new Memory();
    memory.write(submitted(lone('t', { total_timeout: 1 })));
    memory.claim('e');
    memory.now += 5_000;
    expect(memory.write({ kind: 'wake_due', limit: 10 })).toEqual({
      moved: 0,
      more: false,
      next_in_ms: null,
    });
    const held = { ...row(memory, 't'), due_at: memory.now + 1 };
    const { verdicts } = memory.commit(
      { kind: 'release', owner: 'e', leases: [{ task_id: 't', fence: 1 }] },
      { kind: 'wake_due', limit: 10 },
    );
    expect(verdicts[1]).toMatchObject({ answer: { moved: 0, next_in_ms: null } });
    memory.tasks.set('t', held);
    const start = memory.commit(started(held), wake);
    expect(start.verdicts[1]).toMatchObject({ answer: { next_in_ms: null } });
  });

  it('counts dependencies of two that are out of time together', () => {
    const fields = { a: { on_failure: 'continue', total_timeout: 1 }, b: { total_timeout: 1 } } as const;
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [], b: ['a'] }, fields)));
    memory.now += 1_000;
    memory.commit(wake);
    memory.commit(retry('w.a'));
    memory.now += 1_000;
    expect([row(memory, 'w.b').status, row(memory, 'w.b').pending]).toEqual(['queued', 1]);
    memory.commit(wake);
    expect(['w.a', 'w.b'].map((id) => [row(memory, id).status, row(memory, id).pending])).toEqual([
      ['failed', 0],
      ['failed', 0],
    ]);
    expect(memory.runs.get('w')).toMatchObject({ open: 0, failed: 1, status: 'failed' });
  });
});

it('an error that is kept over a retry is the last one', () => {
  const memory = retrying(lone('t'));
  memory.now += 1_000;
  memory.commit(wake);
  expect(row(memory, 't').error).toEqual(trouble());
  const [task] = memory.claim('e');
  memory.write(started(task ?? taskRow()));
  expect(row(memory, 't').error).toEqual(trouble());
});
