import { describe, expect, it } from 'vitest';
import type { TaskRow } from '../records.ts';
import { taskStatuses } from '../task.ts';
import {
  done,
  failure,
  type Graph,
  lone,
  settled,
  submitted,
  taskRow,
  workflow,
} from '../testing/builders.suite.ts';
import { Memory, story } from '../testing/memory.suite.ts';
import type { NewTask, Write } from '../writes.ts';

const retry = (task_id: string): Write => ({ kind: 'retry_task', task_id });
const cancel = (task_id: string): Write => ({ kind: 'cancel_task', task_id, reason: null });

function running(graph: Graph, fields: Record<string, Partial<NewTask>> = {}) {
  const memory = new Memory();
  memory.write(submitted(workflow(graph, fields)));
  const task = (id: string): TaskRow => memory.tasks.get(`w.${id}`) ?? taskRow();
  const settle = (id: string, answer: Parameters<typeof settled>[1]) => {
    memory.claim('e');
    return memory.write(settled(task(id), answer));
  };
  return { memory, task, settle };
}

describe('retrying a task', () => {
  it('alone begins anew, with all its attempts and its time', () => {
    const memory = new Memory();
    memory.write(submitted(lone('t', { total_timeout: 5, priority: 'high' })));
    const [task] = memory.claim('e');
    memory.write(settled(task ?? taskRow(), failure('GLZ2010')));
    const failed = memory.tasks.get('t') ?? taskRow();
    memory.now += 100;
    const { verdicts, changes } = memory.commit(retry('t'));
    expect(verdicts).toEqual([{ ok: true, answer: { status: 'queued' } }]);
    expect(changes.tasks).toEqual([
      {
        ...failed,
        status: 'queued',
        rank: 1_030_100,
        expires_at: 1_005_100,
        due_at: 1_005_100,
        attempt_base: 1,
        generation: 1,
        budget_from: null,
        settled_at: null,
        error: null,
        seq: 6,
      },
    ]);
    expect(story(changes)).toEqual(['task:queued t {"reason":"reopened"}']);
    expect([changes.settled, changes.runs]).toEqual([[], []]);
  });

  it.each(taskStatuses.filter((status) => status !== 'failed' && status !== 'cancelled'))(
    'that is %s is refused',
    (status) => {
      const memory = new Memory();
      memory.tasks.set('t', taskRow({ task_id: 't', status }));
      const { verdicts, changes } = memory.commit(retry('t'));
      expect(verdicts).toEqual([
        {
          ok: false,
          error: {
            code: 1011,
            message: `the task t is ${status} and cannot be retried`,
            data: {
              error_code: 'GLZ1011',
              field: 'task_id',
              hint: 'only a task that failed or was cancelled can be retried',
            },
          },
        },
      ]);
      expect([changes.tasks, changes.happenings]).toEqual([[], []]);
    },
  );

  it('that is not there is refused', () => {
    expect(new Memory().commit(retry('x')).verdicts).toMatchObject([
      { ok: false, error: { data: { error_code: 'GLZ1010' } } },
    ]);
  });

  it('of a cancelled run is refused', () => {
    const { memory } = running({ a: [] });
    memory.write({ kind: 'cancel_run', workflow_id: 'w', reason: null });
    const { verdicts, changes } = memory.commit(retry('w.a'));
    expect(verdicts).toEqual([
      {
        ok: false,
        error: {
          code: 1011,
          message: 'the run w was cancelled and its tasks cannot be retried',
          data: { error_code: 'GLZ1011', field: 'task_id', hint: 'submit the workflow again' },
        },
      },
    ]);
    expect([changes.tasks, changes.runs, changes.happenings]).toEqual([[], [], []]);
  });
});

describe('retrying a task of a run', () => {
  it('opens the run again, and what was skipped waits again', () => {
    const { memory, settle } = running({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'] });
    settle('a', failure('GLZ2010'));
    memory.now += 7;
    const { changes } = memory.commit(retry('w.a'));
    expect(story(changes)).toEqual([
      'workflow:reopened {"task_id":"w.a"}',
      'task:queued w.a {"reason":"reopened"}',
      'task:waiting w.b {"reason":"dependency_reopened"}',
      'task:waiting w.c {"reason":"dependency_reopened"}',
      'task:waiting w.d {"reason":"dependency_reopened"}',
    ]);
    expect(changes.runs).toMatchObject([{ status: 'running', open: 4, failed: 0, settled_at: null }]);
    expect(
      changes.tasks.map(({ id, status, pending, blocked, settled_at }) => [
        id,
        status,
        pending,
        blocked,
        settled_at,
      ]),
    ).toEqual([
      ['a', 'queued', 0, 0, null],
      ['b', 'waiting', 1, 0, null],
      ['c', 'waiting', 1, 0, null],
      ['d', 'waiting', 2, 0, null],
    ]);
    expect([changes.settled, changes.settledRuns]).toEqual([[], []]);
    for (const id of ['a', 'b', 'c', 'd']) settle(id, done);
    expect(memory.runs.get('w')?.status).toBe('completed');
    expect(memory.disagreements()).toEqual([]);
  });

  it('in the commit it failed in leaves nothing settled', () => {
    const { memory, task } = running({ a: [], b: ['a'] });
    memory.claim('e');
    const { changes } = memory.commit(settled(task('a'), failure('GLZ2010')), retry('w.a'));
    expect([changes.settled, changes.settledRuns]).toEqual([[], []]);
    expect(memory.disagreements()).toEqual([]);
  });

  it('that still runs opens nothing, and skipped ones with another cause stay skipped', () => {
    const { memory, task, settle } = running({ a: [], b: [], c: ['a', 'b'], d: ['c'], e: [] });
    settle('a', failure('GLZ2010'));
    settle('b', failure('GLZ2010'));
    const { changes } = memory.commit(retry('w.a'));
    expect(story(changes)).toEqual(['task:queued w.a {"reason":"reopened"}']);
    expect([task('c').status, task('c').pending, task('c').blocked, task('d').status]).toEqual([
      'skipped',
      1,
      1,
      'skipped',
    ]);
    expect(changes.settled).toEqual([]);
    expect(memory.runs.get('w')).toMatchObject({ status: 'running', open: 2, failed: 1 });
    memory.write(retry('w.b'));
    expect([task('c').status, task('d').status]).toEqual(['waiting', 'waiting']);
    expect(memory.runs.get('w')).toMatchObject({ open: 5, failed: 0 });
  });

  it('that is paused leaves it paused', () => {
    const { memory, task, settle } = running({ a: [], b: [] });
    settle('a', failure('GLZ2010'));
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    memory.write(retry('w.a'));
    expect([memory.runs.get('w')?.status, task('a').parked]).toEqual(['paused', 'paused']);
  });

  it('does not take back what went on without it', () => {
    const { memory, task, settle } = running({ a: [], b: ['a'] }, { a: { on_failure: 'continue' } });
    settle('a', failure('GLZ2010'));
    settle('b', done);
    expect(memory.runs.get('w')).toMatchObject({ status: 'completed', failed: 0 });
    const { changes } = memory.commit(retry('w.a'));
    expect([task('b').status, task('b').pending, task('b').blocked]).toEqual(['completed', 1, 0]);
    expect(memory.runs.get('w')).toMatchObject({ status: 'running', open: 1, failed: 0 });
    expect(changes.settled).toEqual([]);
    expect(memory.commit().changes.settled).toEqual([]);
    settle('a', done);
    expect(memory.runs.get('w')?.status).toBe('completed');
    expect(task('b').pending).toBe(0);
  });
});

describe('retrying a task whose dependencies', () => {
  it('are still open lets it wait for them', () => {
    const { memory, task, settle } = running({ a: [], b: ['a'] }, { b: { total_timeout: 5 } });
    memory.write(cancel('w.b'));
    const { verdicts, changes } = memory.commit(retry('w.b'));
    expect(verdicts).toEqual([{ ok: true, answer: { status: 'waiting' } }]);
    expect(story(changes)).toEqual(['task:waiting w.b {"reason":"reopened"}']);
    expect(task('b')).toMatchObject({
      status: 'waiting',
      pending: 1,
      rank: 0,
      due_at: null,
      expires_at: null,
      settled_at: null,
      error: null,
      generation: 1,
    });
    expect(memory.runs.get('w')).toMatchObject({ open: 2, failed: 0 });
    settle('a', done);
    expect(task('b').status).toBe('queued');
    expect(memory.disagreements()).toEqual([]);
  });

  it('were themselves reopened lets it wait for them', () => {
    const { memory, task, settle } = running({ a: [], b: ['a'] }, { a: { on_failure: 'continue' } });
    settle('a', failure('GLZ2010'));
    settle('b', failure('GLZ2010'));
    memory.commit(retry('w.a'), retry('w.b'));
    expect([task('a').status, task('b').status, task('b').attempt_base]).toEqual(['queued', 'waiting', 1]);
    expect(memory.disagreements()).toEqual([]);
  });

  it('settled badly is refused until they are retried', () => {
    const { memory, task, settle } = running({ a: [], b: ['a'], c: [] });
    memory.write(cancel('w.b'));
    settle('a', failure('GLZ2010'));
    const { verdicts, changes } = memory.commit(retry('w.b'));
    expect(verdicts).toEqual([
      {
        ok: false,
        error: {
          code: 1011,
          message: 'the task w.b depends on tasks that did not succeed',
          data: {
            error_code: 'GLZ1011',
            field: 'task_id',
            hint: 'retry those first; it can be retried once they wait, run or have completed',
          },
        },
      },
    ]);
    expect([changes.tasks, changes.runs, changes.happenings]).toEqual([[], [], []]);
    memory.commit(retry('w.a'), retry('w.b'));
    expect(task('b').status).toBe('waiting');
  });
});
