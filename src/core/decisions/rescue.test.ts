import { describe, expect, it } from 'vitest';
import type { TaskRow } from '../records.ts';
import { defaultRetry } from '../retry.ts';
import {
  failure,
  lone,
  settled,
  spec,
  started,
  submitted,
  taskRow,
  workflow,
} from '../testing/builders.suite.ts';
import { Memory, story } from '../testing/memory.suite.ts';
import type { NewRun, Write } from '../writes.ts';

const rescue: Write = { kind: 'rescue', limit: 10 };
const retry = (task_id: string): Write => ({ kind: 'retry_task', task_id });

function row(memory: Memory, task_id: string): TaskRow {
  return memory.tasks.get(task_id) ?? taskRow();
}

/** A store in which engine `e` has started every task of the runs, and then was lost. */
function lost(...runs: readonly NewRun[]): Memory {
  const memory = new Memory();
  memory.write({ kind: 'join', owner: 'e', ttl_ms: 1_000 });
  memory.write(submitted(...runs));
  for (const task of memory.claim('e')) memory.write(started(task));
  memory.now += 1_001;
  return memory;
}

describe('rescuing', () => {
  it('puts what ran back to its old place', () => {
    const memory = lost(lone('t', { total_timeout: 60 }));
    const before = row(memory, 't');
    const { verdicts, changes } = memory.commit(rescue);
    const error = {
      code: 2008,
      message: 'the engine that ran attempt 1 stopped before it ended',
      data: { error_code: 'GLZ2008' },
    };
    expect(verdicts).toEqual([{ ok: true, answer: { rescued: 1, more: false } }]);
    expect(changes.tasks).toEqual([
      {
        ...before,
        status: 'queued',
        owner: null,
        suspect: true,
        error,
        attempts: [{ ...before.attempts[0], ended_at: memory.now, error }],
        seq: 6,
      },
    ]);
    expect(before.due_at).toBe(1_060_000);
    expect(changes.happenings[0]?.events).toEqual([
      { event: 'task:interrupted', task_id: 't', data: { attempt: 1, error } },
      { event: 'task:queued', task_id: 't', data: { reason: 'rescued' } },
    ]);
    expect(changes.goneEngines).toEqual(['e']);
  });

  it('leaves engines that are alive alone, to the millisecond', () => {
    const memory = lost(lone('t'));
    memory.now -= 1;
    const { verdicts, changes } = memory.commit(rescue);
    expect(verdicts).toEqual([{ ok: true, answer: { rescued: 0, more: false } }]);
    expect([changes.tasks, changes.goneEngines]).toEqual([[], []]);
  });

  it('leaves an engine that beats in the same commit', () => {
    const memory = lost(lone('t'));
    const { verdicts, changes } = memory.commit({ kind: 'beat', owner: 'e', ttl_ms: 1 }, rescue);
    expect(verdicts[1]).toEqual({ ok: true, answer: { rescued: 0, more: false } });
    expect([changes.goneEngines, changes.engines]).toEqual([
      [],
      [{ owner: 'e', alive_until: memory.now + 1 }],
    ]);
  });

  it('gives what was only claimed back without a word', () => {
    const memory = new Memory();
    memory.write(submitted(lone('t')));
    const [claimed] = memory.claim('gone');
    const { verdicts, changes } = memory.commit(rescue);
    expect(verdicts).toEqual([{ ok: true, answer: { rescued: 1, more: false } }]);
    expect(changes.tasks).toEqual([{ ...claimed, owner: null, suspect: true }]);
    expect(changes.happenings).toEqual([]);
  });

  it('parks both kinds in a paused run', () => {
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [], b: [] })));
    const [a] = memory.claim('gone');
    memory.write(started(a ?? taskRow()));
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    memory.commit(rescue);
    expect(['w.a', 'w.b'].map((id) => row(memory, id).parked)).toEqual(['paused', 'paused']);
  });

  it('fails what has used up its attempts', () => {
    const memory = lost(lone('t', { spec: spec({ retry_config: { ...defaultRetry, max_attempts: 1 } }) }));
    const { changes } = memory.commit(rescue);
    expect(changes.tasks[0]).toMatchObject({ status: 'failed', error: { data: { error_code: 'GLZ2008' } } });
    expect(story(changes)).toEqual([expect.stringMatching(/^task:failed t /)]);
  });

  it('does not count attempts before the task was reopened', () => {
    const memory = lost(lone('t'));
    memory.tasks.set('t', { ...row(memory, 't'), attempt_count: 4, attempt_base: 2 });
    memory.commit(rescue);
    expect(row(memory, 't').status).toBe('queued');
    const other = lost(lone('t'));
    other.tasks.set('t', { ...row(other, 't'), attempt_count: 4, attempt_base: 1 });
    other.commit(rescue);
    expect(row(other, 't').status).toBe('failed');
  });

  it('fails what may not be interrupted', () => {
    const memory = lost(
      lone('t', { spec: spec({ retry_config: { ...defaultRetry, retry_on: ['server'] } }) }),
    );
    memory.commit(rescue);
    expect(row(memory, 't').status).toBe('failed');
  });

  it('holds to the budget, without a delay that is not made', () => {
    const rescuedWith = (max_total: number, budget_from: number | null = 1_000_000) => {
      const memory = lost(lone('t', { spec: spec({ retry_config: { ...defaultRetry, max_total } }) }));
      memory.tasks.set('t', { ...row(memory, 't'), budget_from });
      memory.commit(rescue);
      return row(memory, 't').status;
    };
    expect([rescuedWith(1.001), rescuedWith(1), rescuedWith(0, null)]).toEqual([
      'queued',
      'failed',
      'queued',
    ]);
  });

  it('does as much as it may and says whether there may be more', () => {
    const memory = lost(lone('a'), lone('b'), lone('c'));
    expect(memory.write({ kind: 'rescue', limit: 2 })).toEqual({ rescued: 2, more: true });
    expect(memory.engines.size).toBe(0);
    expect(memory.write({ kind: 'rescue', limit: 2 })).toEqual({ rescued: 1, more: false });
  });

  it('says so also when the commit itself moved some of them', () => {
    const memory = lost(lone('a'), lone('b'), lone('c'));
    const cancelled: Write = { kind: 'cancel_task', task_id: 'a', reason: null };
    const { verdicts } = memory.commit(cancelled, { kind: 'rescue', limit: 2 });
    expect(verdicts[1]).toEqual({ ok: true, answer: { rescued: 1, more: true } });
  });

  it('counts dependencies of two that were lost together', () => {
    const once = spec({ retry_config: { ...defaultRetry, max_attempts: 1 } });
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [], b: ['a'] }, { a: { on_failure: 'continue', spec: once } })));
    const claimAndStart = () => {
      for (const task of memory.claim('gone')) memory.write(started(task));
    };
    claimAndStart();
    memory.commit(rescue);
    memory.commit(retry('w.a'));
    claimAndStart();
    expect(row(memory, 'w.b')).toMatchObject({ status: 'executing', pending: 1 });
    memory.commit(rescue);
    expect(row(memory, 'w.a').status).toBe('failed');
    expect(row(memory, 'w.b')).toMatchObject({ status: 'queued', pending: 0 });
  });
});

describe('reconciling', () => {
  it('gives back what the engine does not know of', () => {
    const memory = new Memory();
    memory.write(submitted(lone('a'), lone('b'), lone('c')));
    memory.claim('e', 2);
    memory.claim('other');
    const held = [
      { task_id: 'a', fence: 1 },
      { task_id: 'x', fence: 1 },
    ];
    const { verdicts, changes } = memory.commit({ kind: 'reconcile', owner: 'e', held });
    expect(verdicts).toEqual([{ ok: true, answer: { released: 1, gone: [{ task_id: 'x', fence: 1 }] } }]);
    expect(changes.tasks.map(({ task_id, owner, status }) => [task_id, owner, status])).toEqual([
      ['b', null, 'queued'],
    ]);
  });

  it('gives back what was claimed again under a newer fence than the engine knows', () => {
    const memory = new Memory();
    memory.write(submitted(lone('a')));
    const [first] = memory.claim('e');
    const held = [{ task_id: 'a', fence: first?.fence ?? 0 }];
    memory.write({ kind: 'release', owner: 'e', leases: held });
    memory.claim('e');
    const { verdicts } = memory.commit({ kind: 'reconcile', owner: 'e', held });
    expect(verdicts).toEqual([{ ok: true, answer: { released: 1, gone: held } }]);
    expect(row(memory, 'a')).toMatchObject({ owner: null, status: 'queued' });
  });

  it('leaves what the same commit took away', () => {
    const memory = new Memory();
    memory.write(submitted(lone('a')));
    memory.claim('e');
    const { verdicts } = memory.commit(
      { kind: 'cancel_task', task_id: 'a', reason: null },
      { kind: 'reconcile', owner: 'e', held: [] },
    );
    expect(verdicts[1]).toEqual({ ok: true, answer: { released: 0, gone: [] } });
  });

  it('counts dependencies of two that are given back together', () => {
    const once = spec({ retry_config: { ...defaultRetry, max_attempts: 1 } });
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [], b: ['a'] }, { a: { on_failure: 'continue', spec: once } })));
    const [a] = memory.claim('e');
    memory.write(settled(a ?? taskRow(), failure()));
    memory.commit(retry('w.a'));
    for (const task of memory.claim('e')) memory.write(started(task));
    memory.commit({ kind: 'reconcile', owner: 'e', held: [] });
    expect([row(memory, 'w.b').status, row(memory, 'w.b').pending]).toEqual(['queued', 0]);
  });
});
