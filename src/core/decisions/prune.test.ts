import { describe, expect, it } from 'vitest';
import { done, failure, lone, settled, submitted, taskRow, workflow } from '../testing/builders.suite.ts';
import { Memory } from '../testing/memory.suite.ts';
import type { Write } from '../writes.ts';

const retry = (task_id: string): Write => ({ kind: 'retry_task', task_id });

describe('pruning', () => {
  function finished(): Memory {
    const memory = new Memory();
    memory.write(submitted(lone('t'), workflow({ a: [] }), lone('open')));
    for (const task of memory.claim('e', 2)) {
      memory.write(settled(task, done));
      memory.now += 10;
    }
    return memory;
  }

  it('removes what ended long enough ago, oldest first', () => {
    const memory = finished();
    memory.now = 1_000_500;
    expect(memory.write({ kind: 'prune', keep_ms: 500, limit: 5 })).toEqual({ removed: 0, more: false });
    memory.now += 1;
    const { verdicts, changes } = memory.commit({ kind: 'prune', keep_ms: 500, limit: 5 });
    expect(verdicts).toEqual([{ ok: true, answer: { removed: 1, more: false } }]);
    expect(changes.pruned).toEqual(['t']);
    expect([changes.tasks, changes.happenings]).toEqual([[], []]);
    memory.now += 100;
    expect(memory.commit({ kind: 'prune', keep_ms: 0, limit: 5 }).changes.pruned).toEqual(['w']);
    expect([...memory.tasks.keys()]).toEqual(['open']);
  });

  it('leaves a run and a task of the same name until both are over, then both go', () => {
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [] })));
    memory.write(submitted(lone('w')));
    memory.write({ kind: 'cancel_task', task_id: 'w', reason: null });
    memory.now += 100;
    const prune: Write = { kind: 'prune', keep_ms: 0, limit: 5 };
    expect(memory.commit(prune).changes.pruned).toEqual([]);
    memory.write({ kind: 'retry_task', task_id: 'w' });
    memory.write({ kind: 'cancel_run', workflow_id: 'w', reason: null });
    memory.now += 100;
    expect(memory.commit(prune).changes.pruned).toEqual([]);
    memory.write({ kind: 'cancel_task', task_id: 'w', reason: null });
    memory.now += 100;
    memory.commit(prune);
    expect([...memory.tasks.keys(), ...memory.runs.keys()]).toEqual([]);
  });

  it('leaves what somebody else removed meanwhile', () => {
    const memory = finished();
    memory.prunable = () => ['t', 'removed'];
    memory.now += 100;
    expect(memory.commit({ kind: 'prune', keep_ms: 0, limit: 5 }).changes.pruned).toEqual(['t']);
  });

  it('passes over a task of another run whose id is the name of the run', () => {
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [] })));
    memory.write(submitted(workflow({ b: [] }, {}, 'w.a')));
    memory.write({ kind: 'cancel_run', workflow_id: 'w.a', reason: null });
    memory.now += 100;
    expect(memory.commit({ kind: 'prune', keep_ms: 0, limit: 5 }).changes.pruned).toEqual(['w.a']);
  });

  it('says whether there may be more', () => {
    const memory = finished();
    memory.now += 100;
    expect(memory.write({ kind: 'prune', keep_ms: 0, limit: 1 })).toEqual({ removed: 1, more: true });
  });

  it('leaves what something happened to before it in the same commit', () => {
    const memory = new Memory();
    memory.write(submitted(lone('t')));
    const [task] = memory.claim('e');
    memory.write(settled(task ?? taskRow(), failure('GLZ2010')));
    memory.now += 100;
    const { verdicts, changes } = memory.commit(retry('t'), { kind: 'prune', keep_ms: 0, limit: 1 });
    expect(verdicts[1]).toEqual({ ok: true, answer: { removed: 0, more: true } });
    expect(changes.pruned).toEqual([]);
  });

  it('is seen by the writes after it', () => {
    const memory = finished();
    memory.keys.set('k', { key: 'k', run_key: 'w', body_hash: 'body' });
    memory.now += 100;
    const all: Write = { kind: 'prune', keep_ms: 0, limit: 5 };
    const again = { ...workflow({ z: [] }), idempotency_key: 'k' };
    const { verdicts, changes } = memory.commit(all, all, retry('t'), submitted(again), submitted(again));
    const fresh = { workflow_id: 'w', tasks: [['z', 'w.z']], status: 'running' };
    expect(verdicts.map((verdict) => (verdict.ok ? verdict.answer : verdict.error.message))).toEqual([
      { removed: 2, more: false },
      { removed: 0, more: false },
      'there is no task t',
      { runs: [{ ...fresh, created: true }] },
      { runs: [{ ...fresh, created: false }] },
    ]);
    expect(changes.pruned).toEqual(['t', 'w']);
    expect(changes.newRuns.map(({ row: run }) => run.workflow_id)).toEqual(['w']);
    expect([...memory.tasks.keys()]).toEqual(['open', 'w.z']);
    expect(memory.disagreements()).toEqual([]);
  });
});
