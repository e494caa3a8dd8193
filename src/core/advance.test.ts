import { describe, expect, it } from 'vitest';
import { advance, blocksDependents, failsRun, parkedIn, queuedFields, unqueuedFields } from './advance.ts';
import type { TaskRow } from './records.ts';
import { taskStatuses } from './task.ts';
import { runRow, taskRow } from './testing/builders.suite.ts';

const now = 9_000;
const run = runRow({ open: 3 });

function waiting(fields: Partial<TaskRow> = {}): TaskRow {
  return taskRow({ task_id: 'd', workflow_id: 'w', status: 'waiting', pending: 1, rank: 0, ...fields });
}

function settledTask(status: TaskRow['status'], fields: Partial<TaskRow> = {}): TaskRow {
  return taskRow({ workflow_id: 'w', status, ...fields });
}

describe('advance', () => {
  it('queues a dependent that waited for nothing else', () => {
    const dependent = waiting({ priority: 'high', total_timeout: 1.0005 });
    const result = advance({ task: settledTask('completed'), dependents: [dependent], run }, now);
    const queued = {
      ...dependent,
      status: 'queued',
      pending: 0,
      rank: 39_000,
      expires_at: 10_001,
      due_at: 10_001,
    };
    expect(result).toEqual({
      run: { ...run, open: 2 },
      dependents: [queued],
      released: [queued],
      skipped: [],
      runEnd: null,
    });
  });

  it('only counts where others are open', () => {
    const dependent = waiting({ pending: 2 });
    const result = advance({ task: settledTask('completed'), dependents: [dependent], run }, now);
    expect(result.dependents).toEqual([{ ...dependent, pending: 1 }]);
    expect([result.released, result.skipped]).toEqual([[], []]);
  });

  it.each(['failed', 'cancelled', 'skipped'] as const)('skips the dependents of a task that %s', (status) => {
    const dependent = waiting({ pending: 2 });
    const result = advance({ task: settledTask(status), dependents: [dependent], run }, now);
    const skipped = { ...dependent, status: 'skipped', pending: 1, blocked: 1, settled_at: now };
    expect([result.dependents, result.skipped, result.released]).toEqual([[skipped], [skipped], []]);
    expect(result.run).toEqual({ ...run, open: 2, failed: status === 'skipped' ? 0 : 1 });
  });

  it.each(['failed', 'cancelled'] as const)('goes on after a task that %s where it may', (status) => {
    const task = settledTask(status, { on_failure: 'continue' });
    const result = advance({ task, dependents: [waiting()], run }, now);
    expect(result.released).toHaveLength(1);
    expect(result.run).toEqual({ ...run, open: 2 });
  });

  it('parks what it queues in a paused run', () => {
    const paused = runRow({ status: 'paused' });
    const result = advance({ task: settledTask('completed'), dependents: [waiting()], run: paused }, now);
    expect(result.released[0]?.parked).toBe('paused');
  });

  it.each(taskStatuses.filter((status) => status !== 'waiting'))(
    'counts a dependent that is %s',
    (status) => {
      const dependent = waiting({ status, blocked: 1 });
      const good = advance({ task: settledTask('completed'), dependents: [dependent], run }, now);
      expect(good.dependents).toEqual([{ ...dependent, pending: 0 }]);
      const bad = advance({ task: settledTask('failed'), dependents: [dependent], run }, now);
      expect(bad.dependents).toEqual([{ ...dependent, pending: 0, blocked: 2 }]);
      expect([good.released, bad.skipped]).toEqual([[], []]);
    },
  );

  it('sorts several dependents by what becomes of them', () => {
    const rows = [
      waiting({ task_id: 'ready' }),
      waiting({ task_id: 'not yet', pending: 2 }),
      waiting({ task_id: 'settled', status: 'cancelled' }),
    ];
    const result = advance({ task: settledTask('completed'), dependents: rows, run }, now);
    expect(result.dependents.map((row) => row.task_id)).toEqual(['ready', 'not yet', 'settled']);
    expect(result.released.map((row) => row.task_id)).toEqual(['ready']);
  });

  it('completes the run with its last task', () => {
    const result = advance({ task: settledTask('completed'), dependents: [], run: runRow({ open: 1 }) }, now);
    expect(result.run).toEqual(runRow({ open: 0, status: 'completed', settled_at: now }));
    expect(result.runEnd).toEqual({ event: 'workflow:completed', data: {} });
  });

  it('fails the run with its last task if one failed', () => {
    const earlier = runRow({ open: 1, failed: 1 });
    const result = advance({ task: settledTask('completed'), dependents: [], run: earlier }, now);
    expect(result.run).toEqual(runRow({ open: 0, failed: 1, status: 'failed', settled_at: now }));
    expect(result.runEnd).toEqual({ event: 'workflow:failed', data: { failed: 1 } });
    const last = advance({ task: settledTask('failed'), dependents: [], run: earlier }, now);
    expect(last.runEnd).toEqual({ event: 'workflow:failed', data: { failed: 2 } });
  });
});

describe('how a task settles', () => {
  it('fails its run only when its dependents may not go on', () => {
    expect(taskStatuses.filter((status) => failsRun(settledTask(status)))).toEqual(['failed', 'cancelled']);
    const lenient = (status: TaskRow['status']) => settledTask(status, { on_failure: 'continue' });
    expect(taskStatuses.filter((status) => failsRun(lenient(status)))).toEqual([]);
  });

  it('blocks its dependents also when it was skipped', () => {
    const blocking = taskStatuses.filter((status) => blocksDependents(settledTask(status)));
    expect(blocking).toEqual(['failed', 'cancelled', 'skipped']);
    const skipped = settledTask('skipped', { on_failure: 'continue' });
    expect(blocksDependents(skipped)).toBe(true);
  });
});

describe('queuedFields', () => {
  it('have a rank, and a time only where the task has a total timeout', () => {
    const fields = queuedFields({ priority: 'low', total_timeout: null }, { run: null, now });
    expect(fields).toEqual({ rank: 609_000, parked: null, expires_at: null, due_at: null });
    const timed = queuedFields(
      { priority: 'urgent', total_timeout: 0.5 },
      { run: { status: 'paused' }, now },
    );
    expect(timed).toEqual({ rank: 9_000, parked: 'paused', expires_at: 9_500, due_at: 9_500 });
    expect(unqueuedFields).toEqual({ rank: 0, parked: null, expires_at: null, due_at: null });
  });

  it('park in a paused run alone', () => {
    const statuses = ['running', 'paused', 'completed', 'failed', 'cancelled'] as const;
    expect(statuses.map(parkedIn)).toEqual([null, 'paused', null, null, null]);
  });
});
