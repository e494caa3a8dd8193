import { describe, expect, it } from 'vitest';
import { nothingPaused } from '../queue-pause.ts';
import {
  done,
  leaseOf,
  lone,
  settled,
  started,
  submitted,
  taskRow,
  workflow,
} from '../testing/builders.suite.ts';
import { Memory } from '../testing/memory.suite.ts';

function held(): { memory: Memory; task: ReturnType<typeof taskRow> } {
  const memory = new Memory();
  memory.write(submitted(lone('t')));
  const [task] = memory.claim('e');
  return { memory, task: task ?? taskRow() };
}

describe('a lease', () => {
  it.each([{ task_id: 'other' }, { owner: 'another' }, { fence: 0 }, { fence: 2 }])(
    'with %o is not the one held',
    (fields) => {
      const { memory, task } = held();
      const { verdicts, changes } = memory.commit(started({ ...task, ...fields }));
      expect(verdicts).toEqual([{ ok: true, answer: { started: false } }]);
      expect([changes.tasks, changes.happenings]).toEqual([[], []]);
    },
  );
});

describe('release', () => {
  it('gives back what was claimed and not started', () => {
    const { memory, task } = held();
    const { owner, ...lease } = leaseOf(task);
    const { verdicts, changes } = memory.commit({ kind: 'release', owner, leases: [lease] });
    expect(verdicts).toEqual([{ ok: true, answer: { released: 1 } }]);
    expect(changes.tasks).toEqual([{ ...task, owner: null }]);
    expect(changes.happenings).toEqual([]);
  });

  it('leaves what has started, what is not held, and what is not there', () => {
    const { memory, task } = held();
    memory.write(started(task));
    const leases = [
      { task_id: 't', fence: 1 },
      { task_id: 't', fence: 0 },
      { task_id: 'none', fence: 1 },
    ];
    const { verdicts, changes } = memory.commit({ kind: 'release', owner: 'e', leases });
    expect(verdicts).toEqual([{ ok: true, answer: { released: 0 } }]);
    expect(changes.tasks).toEqual([]);
  });

  it('goes on with the others after one it leaves', () => {
    const memory = new Memory();
    memory.write(submitted(lone('a'), lone('b')));
    memory.claim('e');
    const leases = ['none', 'a', 'b'].map((task_id) => ({ task_id, fence: 1 }));
    expect(memory.write({ kind: 'release', owner: 'e', leases })).toEqual({ released: 2 });
  });

  it('parks what belongs to a run that was paused meanwhile', () => {
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [] })));
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    memory.tasks.set('w.a', {
      ...(memory.tasks.get('w.a') ?? taskRow()),
      owner: 'e',
      fence: 1,
      parked: null,
    });
    memory.write({ kind: 'release', owner: 'e', leases: [{ task_id: 'w.a', fence: 1 }] });
    expect(memory.tasks.get('w.a')).toMatchObject({ owner: null, parked: 'paused', status: 'queued' });
  });
});

describe('engines', () => {
  it('join for a while and stay by beating', () => {
    const memory = new Memory();
    expect(memory.write({ kind: 'join', owner: 'e', ttl_ms: 500 })).toEqual({
      ttl_ms: 500,
      paused: nothingPaused,
    });
    expect(memory.engines.get('e')).toEqual({ owner: 'e', alive_until: 1_000_500 });
    memory.now += 100;
    expect(memory.write({ kind: 'beat', owner: 'e', ttl_ms: 700 })).toEqual({ alive: true });
    expect(memory.engines.get('e')).toEqual({ owner: 'e', alive_until: 1_000_800 });
  });

  it('need no beats where the store has one holder', () => {
    const memory = new Memory();
    memory.exclusive = true;
    expect(memory.write({ kind: 'join', owner: 'e', ttl_ms: 500 })).toEqual({
      ttl_ms: null,
      paused: nothingPaused,
    });
    expect(memory.engines.get('e')?.alive_until).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('cannot come back once they are given up', () => {
    const memory = new Memory();
    memory.write({ kind: 'join', owner: 'e', ttl_ms: 500 });
    const { verdicts, changes } = memory.commit(
      { kind: 'leave', owner: 'e' },
      { kind: 'beat', owner: 'e', ttl_ms: 500 },
    );
    expect(verdicts.map((verdict) => verdict.ok && verdict.answer)).toEqual([{}, { alive: false }]);
    expect([changes.engines, changes.goneEngines]).toEqual([[], ['e']]);
    expect(memory.write({ kind: 'beat', owner: 'e', ttl_ms: 500 })).toEqual({ alive: false });
    expect(memory.engines.size).toBe(0);
  });

  it('that lost a task cannot write its outcome', () => {
    const { memory, task } = held();
    memory.write({ kind: 'rescue', limit: 10 });
    expect(memory.write(settled(task, done))).toEqual({ recorded: false, status: 'queued', due_in_ms: null });
  });
});
