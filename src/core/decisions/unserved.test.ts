import { describe, expect, it } from 'vitest';
import { isClaimable } from '../records.ts';
import { lone, submitted, taskRow, workflow } from '../testing/builders.suite.ts';
import { Memory } from '../testing/memory.suite.ts';
import type { NewRun, WriteOf } from '../writes.ts';

const back = (task_id: string): WriteOf<'release'> => ({
  kind: 'release',
  owner: 'e',
  leases: [{ task_id, fence: 1 }],
  unserved: 'search',
});
const wake = (...unserved: string[]) => ({ kind: 'wake_due', limit: 5, unserved }) as const;

/** A task that an engine gave back because it has no provider for it. */
function givenBack(run: NewRun, task_id = 't'): Memory {
  const memory = new Memory();
  memory.write(submitted(run));
  memory.claim('e');
  memory.write(back(task_id));
  return memory;
}

const row = (memory: Memory, task_id = 't') => memory.tasks.get(task_id) ?? taskRow();

describe('a task that an engine has no provider for', () => {
  it('is left aside without an attempt, and nothing is told of it', () => {
    const memory = new Memory();
    memory.write(submitted(lone('t')));
    memory.claim('e');
    const { changes } = memory.commit(back('t'));
    expect(changes.happenings).toEqual([]);
    expect(changes.tasks).toMatchObject([
      { status: 'queued', owner: null, parked: 'provider search', due_at: memory.now, attempt_count: 0 },
    ]);
    expect(memory.claim('e')).toEqual([]);
  });

  it('is taken up at once by an engine that does not know better', () => {
    const memory = givenBack(lone('t', { total_timeout: 60 }));
    const { verdicts, changes } = memory.commit(wake('proto/v1 other', 'other/v1 search'));
    expect(verdicts).toMatchObject([{ answer: { moved: 1, more: false, next_in_ms: 60_000 } }]);
    expect(changes.happenings).toEqual([]);
    expect(row(memory)).toMatchObject({ parked: null, due_at: row(memory).expires_at });
    expect(isClaimable(row(memory))).toBe(true);
  });

  it('is left to others for two seconds by an engine without a provider, and then for three more', () => {
    const memory = givenBack(lone('t'));
    const known = wake(`${row(memory).lane} search`);
    const left = { moved: 0, more: false, next_in_ms: null };
    expect(memory.write(known)).toEqual(left);
    memory.now += 1999;
    expect(memory.write({ ...known, limit: 1 })).toEqual(left);
    memory.now += 1;
    expect(memory.write(known)).toEqual({ moved: 1, more: false, next_in_ms: 3000 });
    expect(row(memory)).toMatchObject({ parked: 'provider search', due_at: memory.now + 3000 });
    memory.now += 3000;
    expect(memory.write(wake())).toMatchObject({ moved: 1 });
    expect(row(memory).parked).toBe(null);
  });

  it('fails when its time runs out, whoever looks', () => {
    const memory = givenBack(lone('t', { total_timeout: 4 }));
    const known = wake(`${row(memory).lane} search`);
    memory.now += 2000;
    memory.write(known);
    expect(row(memory).due_at).toBe(row(memory).expires_at);
    memory.now += 2000;
    memory.write(known);
    expect(row(memory)).toMatchObject({ status: 'failed', parked: null });
  });

  it('waits for its run where that was paused before', () => {
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [] })));
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    memory.tasks.set('w.a', { ...row(memory, 'w.a'), owner: 'e', fence: 1, parked: null });
    memory.write(back('w.a'));
    expect(row(memory, 'w.a').parked).toBe('paused');
    memory.write(wake());
    expect(row(memory, 'w.a')).toMatchObject({ parked: 'paused', due_at: null });
  });

  it('stays where it is when its run is paused, and goes on with it', () => {
    const memory = givenBack(workflow({ a: [] }), 'w.a');
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    memory.write({ kind: 'wake_due', limit: 5 });
    expect(row(memory, 'w.a')).toMatchObject({ parked: 'paused', due_at: null });
    memory.write({ kind: 'resume_run', workflow_id: 'w' });
    expect(memory.claim('e')).toHaveLength(1);
  });
});
