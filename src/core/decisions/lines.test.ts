import { describe, expect, it } from 'vitest';
import { rankOf } from '../priority.ts';
import { lone, submitted, taskRow, workflow } from '../testing/builders.suite.ts';
import { Memory } from '../testing/memory.suite.ts';
import type { NewRun, WriteOf } from '../writes.ts';

const LINE = 'line rate user=7';
const OTHER = 'line breaker p1';
const joins = (task_id: string, line = LINE): WriteOf<'release'> => {
  return { kind: 'release', owner: 'e', leases: [{ task_id, fence: 1 }], line };
};
const call = (places: number, fair = false) => ({ kind: 'call_line', line: LINE, places, fair }) as const;
const sweep = (limit: number, after: string | null = null) =>
  ({ kind: 'call_lines', places: 1, after, limit }) as const;
const row = (memory: Memory, task_id: string) => memory.tasks.get(task_id) ?? taskRow();

/** Tasks in the hands of an engine. */
function claimed(...runs: readonly NewRun[]): Memory {
  const memory = new Memory();
  memory.write(submitted(...runs));
  memory.claim('e');
  return memory;
}

/** Tasks that wait in a line. */
function waiting(...runs: readonly NewRun[]): Memory {
  const memory = claimed(...runs);
  memory.commit(...[...memory.tasks.keys()].map((task_id) => joins(task_id)));
  return memory;
}

describe('a task that waits in a line', () => {
  it('is due only when its time is up', () => {
    const memory = waiting(lone('t', { total_timeout: 60 }), lone('u'));
    expect(row(memory, 't')).toMatchObject({
      ...{ status: 'queued', owner: null, parked: LINE, attempt_count: 0 },
      due_at: row(memory, 't').expires_at,
    });
    expect(row(memory, 'u').due_at).toBe(null);
    expect(memory.write({ kind: 'wake_due', limit: 5 })).toMatchObject({ moved: 0, next_in_ms: 60_000 });
  });

  it('comes back at its old place, or behind all others where the line is fair', () => {
    const memory = waiting(lone('t'), lone('u'));
    const before = row(memory, 't').rank;
    memory.now += 500;
    expect(memory.write(call(1))).toEqual({ called: ['t'], more: true });
    expect(row(memory, 't')).toMatchObject({ parked: null, rank: before });
    expect(memory.write(call(3, true))).toEqual({ called: ['u'], more: false });
    expect(row(memory, 'u')).toMatchObject({ parked: null, rank: rankOf('normal', memory.now) });
  });

  it('tells nothing of it', () => {
    const memory = waiting(lone('t'));
    const before = memory.cursor;
    memory.write(call(1));
    expect(memory.cursor).toBe(before);
  });

  it('stays out of the queue when its run was paused behind the back of its line', () => {
    const memory = waiting(workflow({ a: [] }));
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    memory.tasks.set('w.a', { ...row(memory, 'w.a'), parked: LINE });
    expect(memory.write(call(1))).toEqual({ called: ['w.a'], more: false });
    expect(row(memory, 'w.a').parked).toBe('paused');
  });

  it('does not join it while its run is paused', () => {
    const memory = claimed(workflow({ a: [] }));
    const held = row(memory, 'w.a');
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    memory.tasks.set('w.a', held);
    memory.write(joins('w.a'));
    expect(row(memory, 'w.a').parked).toBe('paused');
  });
});

describe('those who are called', () => {
  it('are looked for behind those who left within the same commit', () => {
    const memory = waiting(...['t1', 't2', 't3', 't4', 't5'].map((id) => lone(id)));
    const cancel = (task_id: string) => ({ kind: 'cancel_task', task_id, reason: null }) as const;
    const { verdicts } = memory.commit(cancel('t1'), cancel('t2'), cancel('t3'), call(1), call(1), call(1));
    expect(verdicts.slice(3)).toEqual(
      [['t4'], ['t5'], []].map((called, at) => ({ ok: true, answer: { called, more: at === 0 } })),
    );
  });

  it('may have come within the same commit, and stand where they belong', () => {
    const memory = claimed(lone('t1', { priority: 'low' }), lone('t2'), lone('t3', { priority: 'urgent' }));
    memory.write(joins('t2'));
    const { verdicts } = memory.commit(joins('t1'), joins('t3'), call(2));
    expect(verdicts[2]).toEqual({ ok: true, answer: { called: ['t3', 't2'], more: true } });
  });
});

describe('calling every line', () => {
  it('goes through them by name, some at a time', () => {
    const memory = claimed(lone('t1'), lone('t2'), lone('t3'));
    memory.commit(joins('t1'), joins('t2'), joins('t3', OTHER));
    expect(memory.write(sweep(1))).toEqual({ called: [{ task_id: 't3', line: OTHER }], next: OTHER });
    expect(memory.write(sweep(1, OTHER))).toEqual({ called: [{ task_id: 't1', line: LINE }], next: LINE });
    expect(memory.write(sweep(1, LINE))).toEqual({ called: [], next: null });
    expect(memory.write(sweep(0, LINE))).toEqual({ called: [], next: LINE });
  });
});
