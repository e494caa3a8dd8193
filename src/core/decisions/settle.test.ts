import { describe, expect, it } from 'vitest';
import type { TaskRow } from '../records.ts';
import {
  done,
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
import type { NewTask } from '../writes.ts';

function claimed(fields: Partial<NewTask> = {}): { memory: Memory; task: TaskRow } {
  const memory = new Memory();
  memory.write(submitted(lone('t', fields)));
  return { memory, task: memory.claim('e')[0] ?? taskRow() };
}

function attempt(fields: Partial<TaskRow['attempts'][number]> = {}): TaskRow['attempts'][number] {
  return { attempt: 1, started_at: 1_000_000, ended_at: 1_000_000, provider: 'p1', error: null, ...fields };
}

describe('an attempt that another provider answered than was asked first', () => {
  const told = (provider: string | null) => ({ start: { attempt: 1, provider, ago_ms: 5 } });

  it('goes by the name of the one that answered', () => {
    const { memory, task } = claimed();
    memory.write(started(task, 'p1'));
    const { changes } = memory.commit(settled(task, done, told('p2')));
    expect(changes.tasks[0]?.attempts).toEqual([attempt({ provider: 'p2' })]);
    expect(story(changes).slice(0, 1)).toEqual(['task:routed t {"provider":"p2"}']);
  });

  it.each([['p1'], [null]])('says nothing of it where it is %j', (provider) => {
    const { memory, task } = claimed();
    memory.write(started(task, 'p1'));
    const { changes } = memory.commit(settled(task, done, told(provider)));
    expect(changes.tasks[0]?.attempts).toEqual([attempt()]);
    expect(story(changes).map((line) => line.split(' ')[0])).toEqual(['task:completed']);
  });
});

describe('start', () => {
  it('counts the attempt and tells every step on the way', () => {
    const { memory, task } = claimed();
    memory.now += 500;
    const { verdicts, changes } = memory.commit(started(task, 'p1', 20.4));
    expect(verdicts).toEqual([{ ok: true, answer: { started: true } }]);
    expect(changes.tasks).toEqual([
      {
        ...task,
        status: 'executing',
        attempt_count: 1,
        attempts: [attempt({ started_at: 1_000_480, ended_at: null })],
        budget_from: 1_000_480,
        seq: 4,
      },
    ]);
    expect(changes.happenings[0]?.first_seq).toBe(2);
    expect(story(changes)).toEqual([
      'task:validated t {}',
      'task:routed t {"provider":"p1"}',
      'task:started t {"attempt":1,"started_at":1000480}',
    ]);
    expect(changes.settled).toEqual([]);
  });

  it('happens once, however often it is said: an answer may be lost on its way', () => {
    const { memory, task } = claimed();
    const { verdicts, changes } = memory.commit(started(task), started(task));
    expect(verdicts.map((verdict) => verdict.ok && verdict.answer)).toEqual([
      { started: true },
      { started: true },
    ]);
    expect(changes.tasks[0]?.attempt_count).toBe(1);
    expect(story(changes)).toHaveLength(3);
  });

  it('is refused for another attempt than the one that runs', () => {
    const { memory, task } = claimed();
    const start = started(task);
    const { verdicts } = memory.commit(start, { ...start, start: { ...start.start, attempt: 2 } });
    expect(verdicts.map((verdict) => verdict.ok && verdict.answer)).toEqual([
      { started: true },
      { started: false },
    ]);
  });

  it('is never before the task was there', () => {
    const { memory, task } = claimed();
    memory.write(started(task, 'p1', 60_000));
    expect(memory.tasks.get('t')?.budget_from).toBe(1_000_000);
  });

  it('keeps the newest attempts, and the time of the first', () => {
    const { memory, task } = claimed();
    const attempts = Array.from({ length: 100 }, (_, index) => attempt({ attempt: index + 1 }));
    memory.tasks.set('t', { ...task, attempts, attempt_count: 100, budget_from: 7 });
    memory.write(started(task));
    const row = memory.tasks.get('t');
    expect([row?.attempts.length, row?.attempts[0]?.attempt, row?.attempts[99]?.attempt]).toEqual([
      100, 2, 101,
    ]);
    expect([row?.attempt_count, row?.budget_from]).toEqual([101, 7]);
  });
});

describe('an attempt that is done', () => {
  it('completes its task with the result', () => {
    const { memory, task } = claimed();
    memory.tasks.set('t', { ...task, error: trouble(), suspect: true, due_at: 5 });
    const { verdicts, changes } = memory.commit(settled(task, done));
    expect(verdicts).toEqual([
      { ok: true, answer: { recorded: true, status: 'completed', due_in_ms: null } },
    ]);
    expect(changes.tasks).toEqual([
      {
        ...task,
        status: 'completed',
        owner: null,
        attempt_count: 1,
        attempts: [attempt()],
        budget_from: 1_000_000,
        settled_at: 1_000_000,
        result_hash: '#"ok"',
        seq: 5,
      },
    ]);
    expect(changes.results).toEqual([
      { task_id: 't', run_key: 't', result: '"ok"', hash: '#"ok"', stored_at: 1_000_000 },
    ]);
    expect(story(changes).slice(2)).toEqual([
      'task:started t {"attempt":1,"started_at":1000000}',
      'task:completed t {"attempt":1,"result_hash":"#\\"ok\\""}',
    ]);
    expect(changes.settled).toEqual([{ task_id: 't', workflow_id: null, status: 'completed' }]);
  });

  it('starts no second time when the start was committed before', () => {
    const { memory, task } = claimed();
    memory.write(started(task, 'p0'));
    memory.now += 5;
    const { changes } = memory.commit(
      settled(task, done, { start: { attempt: 1, provider: 'p0', ago_ms: 5 } }),
    );
    expect(story(changes)).toEqual(['task:completed t {"attempt":1,"result_hash":"#\\"ok\\""}']);
    expect(changes.tasks[0]?.attempts).toEqual([attempt({ provider: 'p0', ended_at: 1_000_005 })]);
  });

  it('is recorded once', () => {
    const { memory, task } = claimed();
    memory.write(settled(task, done));
    const { verdicts, changes } = memory.commit(settled(task, failure()));
    expect(verdicts).toEqual([
      { ok: true, answer: { recorded: false, status: 'completed', due_in_ms: null } },
    ]);
    expect([changes.tasks, changes.happenings]).toEqual([[], []]);
  });

  it('of a task that is no longer there is not recorded', () => {
    const { memory, task } = claimed();
    memory.tasks.clear();
    expect(memory.write(settled(task, done))).toEqual({ recorded: false, status: null, due_in_ms: null });
  });

  it.each([done, { word: 'again', after_ms: 1, reason: 'busy' } as const])(
    'without a start is refused, and nothing changes: %o',
    (answer) => {
      const { memory, task } = claimed();
      const { verdicts, changes } = memory.commit(settled(task, answer, { start: null }));
      expect(verdicts).toMatchObject([{ ok: false, error: { data: { error_code: 'GLZ1011' } } }]);
      expect([changes.tasks, changes.happenings, changes.results, changes.settled]).toEqual([[], [], [], []]);
    },
  );

  it('of a run that is not stored is refused, and nothing changes', () => {
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [] })));
    const [task] = memory.claim('e');
    memory.runs.clear();
    const { verdicts, changes } = memory.commit(settled(task ?? taskRow(), done));
    expect(verdicts).toEqual([
      {
        ok: false,
        error: {
          code: 3005,
          message: 'the run w of a stored task is not stored',
          data: { error_code: 'GLZ3005' },
        },
      },
    ]);
    expect([changes.tasks, changes.happenings, changes.results]).toEqual([[], [], []]);
  });
});

describe('what a settled task brings into the queue', () => {
  function settledWith(limits: Readonly<Record<string, Partial<NewTask>>>) {
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [], b: ['a'], c: ['a'], d: ['a', 'b'] }, limits)));
    return memory.write(settled(memory.claim('e')[0] ?? taskRow(), done));
  }

  it('is to be looked at when the first of its total timeouts runs out', () => {
    const limits = { b: { total_timeout: 9 }, c: { total_timeout: 5 }, d: { total_timeout: 1 } };
    expect(settledWith(limits)).toEqual({ recorded: true, status: 'completed', due_in_ms: 5_000 });
  });

  it('is left alone where it has all the time in the world', () => {
    expect(settledWith({ d: { total_timeout: 1 } })).toMatchObject({ due_in_ms: null });
  });
});

describe('an attempt that its engine withdrew', () => {
  const withdrawn = { word: 'withdrawn' } as const;
  const error = trouble('GLZ2008');

  it('puts the task back where it stood, and does not count', () => {
    const { memory, task } = claimed({ total_timeout: 9 });
    memory.write(started(task));
    const { verdicts, changes } = memory.commit(settled(task, withdrawn));
    expect(verdicts).toEqual([{ ok: true, answer: { recorded: true, status: 'queued', due_in_ms: 9000 } }]);
    expect(changes.tasks).toMatchObject([
      { status: 'queued', owner: null, rank: task.rank, suspect: false, attempt_count: 1, attempt_base: 1 },
    ]);
    expect(story(changes).map((line) => line.split(' ')[0])).toEqual(['task:interrupted', 'task:queued']);
    expect(memory.tasks.get('t')?.attempts).toMatchObject([
      { ended_at: 1_000_000, error: { data: error.data } },
    ]);
  });

  it('leaves a suspect one suspect that was not called yet', () => {
    const { memory, task } = claimed();
    memory.tasks.set('t', { ...task, suspect: true });
    memory.write({ ...settled(task, withdrawn), start: null });
    expect(memory.tasks.get('t')).toMatchObject({
      status: 'queued',
      owner: null,
      suspect: true,
      attempt_count: 0,
    });
  });

  it('waits where its run was paused meanwhile', () => {
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [] })));
    const [task = taskRow()] = memory.claim('e');
    memory.write(started(task));
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    memory.write(settled(task, withdrawn));
    expect(memory.tasks.get('w.a')).toMatchObject({ status: 'queued', owner: null, parked: 'paused' });
  });
});
