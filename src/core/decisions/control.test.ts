import { describe, expect, it } from 'vitest';
import type { TaskRow } from '../records.ts';
import { taskStatuses } from '../task.ts';
import {
  done,
  failure,
  lone,
  settled,
  started,
  submitted,
  taskRow,
  workflow,
} from '../testing/builders.suite.ts';
import { Memory, story } from '../testing/memory.suite.ts';

function chain(): Memory {
  const memory = new Memory();
  memory.write(submitted(workflow({ a: [], b: ['a'], c: [] })));
  return memory;
}

const notThere = 'ids are answered by submit; finished runs are removed after their retention time';

describe('cancelling a task', () => {
  it('takes it from the engine that runs it', () => {
    const memory = new Memory();
    memory.write(submitted(lone('t', { total_timeout: 60 })));
    const [task] = memory.claim('e');
    memory.write(started(task ?? taskRow()));
    memory.tasks.set('t', { ...(memory.tasks.get('t') ?? taskRow()), suspect: true });
    memory.now += 9;
    const { verdicts, changes } = memory.commit({ kind: 'cancel_task', task_id: 't', reason: 'enough' });
    const error = { code: 2009, message: 'enough', data: { error_code: 'GLZ2009' } };
    expect(verdicts).toEqual([{ ok: true, answer: { status: 'cancelled', cancelled: true } }]);
    expect(changes.revoked).toEqual([{ task_id: 't', owner: 'e' }]);
    expect(changes.tasks[0]).toMatchObject({
      status: 'cancelled',
      owner: null,
      due_at: null,
      suspect: false,
      settled_at: 1_000_009,
      error,
      attempts: [{ attempt: 1, ended_at: 1_000_009, error }],
    });
    expect(story(changes)).toEqual(['task:cancelled t {"reason":"enough"}']);
    expect(changes.settled).toEqual([{ task_id: 't', workflow_id: null, status: 'cancelled' }]);
  });

  it('skips what waits for it', () => {
    const memory = chain();
    const { changes } = memory.commit({ kind: 'cancel_task', task_id: 'w.a', reason: null });
    expect(story(changes)).toEqual([
      'task:cancelled w.a {"reason":null}',
      'task:skipped w.b {"because":"w.a"}',
    ]);
    expect(changes.revoked).toEqual([]);
    expect(memory.runs.get('w')).toMatchObject({ open: 1, failed: 1 });
    expect(memory.tasks.get('w.a')?.error?.message).toBe('cancelled');
  });

  it.each(taskStatuses)('one that is %s', (status) => {
    const memory = new Memory();
    memory.tasks.set('t', taskRow({ task_id: 't', status }));
    const { verdicts, changes } = memory.commit({ kind: 'cancel_task', task_id: 't', reason: null });
    if (['completed', 'failed', 'cancelled', 'skipped'].includes(status)) {
      expect(verdicts).toEqual([{ ok: true, answer: { status, cancelled: false } }]);
      expect([changes.tasks, changes.happenings]).toEqual([[], []]);
    } else if (status === 'validated') {
      expect(verdicts).toMatchObject([{ ok: false, error: { data: { error_code: 'GLZ1011' } } }]);
      expect([changes.tasks, changes.happenings, changes.revoked]).toEqual([[], [], []]);
    } else expect(verdicts).toMatchObject([{ ok: true, answer: { status: 'cancelled', cancelled: true } }]);
  });

  it('that is not there is refused', () => {
    expect(new Memory().commit({ kind: 'cancel_task', task_id: 'x', reason: null }).verdicts).toEqual([
      {
        ok: false,
        error: {
          code: 1010,
          message: 'there is no task x',
          data: {
            error_code: 'GLZ1010',
            field: 'task_id',
            reason: 'nothing is known under "x"',
            hint: notThere,
          },
        },
      },
    ]);
  });
});

describe('cancelling a run', () => {
  it('cancels everything open in it', () => {
    const memory = chain();
    const [a] = memory.claim('e', 1);
    memory.write(settled(a ?? taskRow(), failure('GLZ2010')));
    memory.claim('e', 1);
    const { verdicts, changes } = memory.commit({ kind: 'cancel_run', workflow_id: 'w', reason: 'stop' });
    expect(verdicts).toEqual([{ ok: true, answer: { status: 'cancelled', cancelled: 1 } }]);
    expect(story(changes)).toEqual([
      'task:cancelled w.c {"reason":"stop"}',
      'workflow:cancelled {"reason":"stop"}',
    ]);
    expect(changes.runs).toMatchObject([{ status: 'cancelled', open: 0, settled_at: 1_000_000, seq: 11 }]);
    expect(changes.settledRuns).toEqual([{ workflow_id: 'w', status: 'cancelled' }]);
    expect(changes.settled).toEqual([{ task_id: 'w.c', workflow_id: 'w', status: 'cancelled' }]);
    expect(changes.revoked).toEqual([{ task_id: 'w.c', owner: 'e' }]);
  });

  it('includes what the same commit made of it', () => {
    const memory = chain();
    const [a] = memory.claim('e', 1);
    const { verdicts } = memory.commit(settled(a ?? taskRow(), done), {
      kind: 'cancel_run',
      workflow_id: 'w',
      reason: null,
    });
    expect(verdicts[1]).toEqual({ ok: true, answer: { status: 'cancelled', cancelled: 2 } });
    expect(memory.tasks.get('w.a')?.status).toBe('completed');
    expect(memory.disagreements()).toEqual([]);
  });

  it('that has ended changes nothing', () => {
    const memory = chain();
    memory.write({ kind: 'cancel_run', workflow_id: 'w', reason: null });
    const { verdicts, changes } = memory.commit({ kind: 'cancel_run', workflow_id: 'w', reason: null });
    expect(verdicts).toEqual([{ ok: true, answer: { status: 'cancelled', cancelled: 0 } }]);
    expect([changes.runs, changes.happenings]).toEqual([[], []]);
  });

  it('that is not there is refused', () => {
    expect(new Memory().commit({ kind: 'cancel_run', workflow_id: 'x', reason: null }).verdicts).toEqual([
      {
        ok: false,
        error: {
          code: 1010,
          message: 'there is no run x',
          data: {
            error_code: 'GLZ1010',
            field: 'workflow_id',
            reason: 'nothing is known under "x"',
            hint: notThere,
          },
        },
      },
    ]);
  });
});

describe('pausing a run', () => {
  it('keeps its queued tasks from being claimed until it is resumed', () => {
    const memory = chain();
    memory.write(started(memory.claim('e', 1)[0] ?? taskRow()));
    const paused = memory.commit({ kind: 'pause_run', workflow_id: 'w' });
    expect(paused.verdicts).toEqual([{ ok: true, answer: { status: 'paused' } }]);
    expect(story(paused.changes)).toEqual(['workflow:paused {}']);
    expect(paused.changes.tasks.map((row) => [row.id, row.parked])).toEqual([['c', 'paused']]);
    expect(paused.changes.runs).toMatchObject([{ status: 'paused', open: 3, settled_at: null }]);
    expect(memory.claim('e')).toEqual([]);

    const resumed = memory.commit({ kind: 'resume_run', workflow_id: 'w' });
    expect(resumed.verdicts).toEqual([{ ok: true, answer: { status: 'running' } }]);
    expect(story(resumed.changes)).toEqual(['workflow:resumed {}']);
    expect(resumed.changes.tasks.map((row) => [row.id, row.parked])).toEqual([['c', null]]);
    expect(memory.claim('e').map((row: TaskRow) => row.id)).toEqual(['c']);
  });

  it('takes back what was claimed and has not started, so that nothing new begins', () => {
    const memory = chain();
    const [a, c] = memory.claim('e');
    memory.write(started(a ?? taskRow()));
    const { changes } = memory.commit({ kind: 'pause_run', workflow_id: 'w' });
    expect(changes.revoked).toEqual([{ task_id: 'w.c', owner: 'e' }]);
    expect(memory.tasks.get('w.a')).toMatchObject({ status: 'executing', owner: 'e', parked: null });
    expect(memory.tasks.get('w.c')).toMatchObject({
      status: 'queued',
      owner: null,
      suspect: true,
      parked: 'paused',
    });
    expect(memory.write(started(c ?? taskRow()))).toEqual({ started: false });
    memory.write({ kind: 'resume_run', workflow_id: 'w' });
    expect(memory.claim('e')).toMatchObject([{ id: 'c', fence: 2 }]);
  });

  it('leaves alone what is parked for another reason', () => {
    const memory = chain();
    memory.tasks.set('w.c', { ...(memory.tasks.get('w.c') ?? taskRow()), parked: 'limit' });
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    expect(memory.tasks.get('w.c')?.parked).toBe('limit');
    memory.write({ kind: 'resume_run', workflow_id: 'w' });
    expect(memory.tasks.get('w.c')?.parked).toBe('limit');
  });

  it('twice, or resuming what runs, changes nothing', () => {
    const memory = chain();
    const resumed = memory.commit({ kind: 'resume_run', workflow_id: 'w' });
    expect(resumed.verdicts).toEqual([{ ok: true, answer: { status: 'running' } }]);
    expect([resumed.changes.runs, resumed.changes.happenings]).toEqual([[], []]);
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    const paused = memory.commit({ kind: 'pause_run', workflow_id: 'w' });
    expect(paused.verdicts).toEqual([{ ok: true, answer: { status: 'paused' } }]);
    expect([paused.changes.runs, paused.changes.happenings]).toEqual([[], []]);
  });

  it.each([
    ['pause_run', 'paused'],
    ['resume_run', 'resumed'],
  ] as const)('%s of one that has ended is refused', (kind, verb) => {
    const memory = chain();
    memory.write({ kind: 'cancel_run', workflow_id: 'w', reason: null });
    const { verdicts, changes } = memory.commit({ kind, workflow_id: 'w' });
    expect(verdicts).toEqual([
      {
        ok: false,
        error: {
          code: 1011,
          message: `the run w is cancelled and cannot be ${verb}`,
          data: { error_code: 'GLZ1011', field: 'workflow_id' },
        },
      },
    ]);
    expect([changes.runs, changes.happenings]).toEqual([[], []]);
  });

  it.each(['pause_run', 'resume_run'] as const)('%s of one that is not there is refused', (kind) => {
    const [verdict] = new Memory().commit({ kind, workflow_id: 'x' }).verdicts;
    expect(verdict).toMatchObject({ ok: false, error: { data: { error_code: 'GLZ1010' } } });
  });
});
