import { describe, expect, it } from 'vitest';
import type { TaskRow } from '../records.ts';
import { defaultRetry } from '../retry.ts';
import {
  done,
  failure,
  lone,
  settled,
  spec,
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
    const { changes } = memory.commit(settled(task, done));
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

describe('an attempt that failed', () => {
  it('is tried again later', () => {
    const { memory, task } = claimed();
    memory.tasks.set('t', { ...task, suspect: true, expires_at: 1_001_001, due_at: 1_001_001 });
    const { verdicts, changes } = memory.commit(settled(task, failure('GLZ2002')));
    const error = trouble('GLZ2002');
    expect(verdicts).toEqual([
      { ok: true, answer: { recorded: true, status: 'retrying', due_in_ms: 1_000 } },
    ]);
    expect(changes.tasks).toEqual([
      {
        ...task,
        status: 'retrying',
        owner: null,
        attempt_count: 1,
        attempts: [attempt({ error })],
        budget_from: 1_000_000,
        due_at: 1_001_000,
        expires_at: 1_001_001,
        error,
        seq: 5,
      },
    ]);
    expect(changes.happenings[0]?.events[3]).toEqual({
      event: 'task:retrying',
      task_id: 't',
      data: { attempt: 1, due_at: 1_001_000, error, counts: true },
    });
    expect([changes.settled, changes.results]).toEqual([[], []]);
  });

  it('draws its delay from the chance it is given', () => {
    const retry_config = { ...defaultRetry, jitter: 0.5 };
    const { memory, task } = claimed({ spec: spec({ retry_config }) });
    expect(memory.write(settled(task, failure(), { chance: 0.5 })).due_in_ms).toBe(750);
  });

  it('fails its task when the next one would be out of time', () => {
    const { memory, task } = claimed();
    memory.tasks.set('t', { ...task, expires_at: 1_001_000 });
    expect(memory.write(settled(task, failure())).status).toBe('failed');
  });

  it('fails its task when it cannot pass', () => {
    const { memory, task } = claimed();
    const { verdicts, changes } = memory.commit(settled(task, failure('GLZ2010')));
    const error = trouble('GLZ2010');
    expect(verdicts).toEqual([{ ok: true, answer: { recorded: true, status: 'failed', due_in_ms: null } }]);
    expect(changes.tasks[0]).toMatchObject({
      status: 'failed',
      owner: null,
      due_at: null,
      settled_at: 1_000_000,
      error,
      attempts: [attempt({ error })],
    });
    expect(changes.happenings[0]?.events[3]).toEqual({
      event: 'task:failed',
      task_id: 't',
      data: { attempt: 1, error },
    });
    expect(changes.settled).toEqual([{ task_id: 't', workflow_id: null, status: 'failed' }]);
  });

  it('fails its task when all attempts are used up, not counting those before it was reopened', () => {
    const { memory, task } = claimed();
    memory.tasks.set('t', { ...task, attempt_count: 4, attempt_base: 2 });
    expect(memory.write(settled(task, failure())).status).toBe('failed');
    const other = claimed();
    other.memory.tasks.set('t', { ...other.task, attempt_count: 4, attempt_base: 3 });
    expect(other.memory.write(settled(other.task, failure()))).toMatchObject({
      status: 'retrying',
      due_in_ms: 2_000,
    });
  });

  it('fails its task when the budget since its first attempt is used up', () => {
    const retry_config = { ...defaultRetry, jitter: 0, max_total: 3 };
    const spent = (budget_from: number | null) => {
      const { memory, task } = claimed({ spec: spec({ retry_config }) });
      memory.tasks.set('t', { ...task, budget_from });
      return memory.write(settled(task, failure())).status;
    };
    expect([spent(998_000), spent(997_999), spent(null)]).toEqual(['retrying', 'failed', 'retrying']);
  });

  it('counts the budget from now where no start was noted', () => {
    const retry_config = { ...defaultRetry, jitter: 0, max_total: 1 };
    const { memory, task } = claimed({ spec: spec({ retry_config }) });
    memory.write(started(task));
    memory.tasks.set('t', { ...(memory.tasks.get('t') ?? task), budget_from: null });
    expect(memory.write(settled(task, failure())).status).toBe('retrying');
  });

  it('fails its task at once when it did not come to a call', () => {
    const { memory, task } = claimed();
    const { verdicts, changes } = memory.commit(settled(task, failure('GLZ2001'), { start: null }));
    expect(verdicts[0]).toMatchObject({ ok: true, answer: { status: 'failed' } });
    expect(changes.happenings[0]?.events).toEqual([
      { event: 'task:failed', task_id: 't', data: { attempt: 0, error: trouble() } },
    ]);
    expect(changes.tasks[0]).toMatchObject({ attempts: [], attempt_count: 0, budget_from: null });
  });

  it('leaves attempts that ended before as they are', () => {
    const { memory, task } = claimed();
    const earlier = attempt({ ended_at: 1_000_001, error: trouble('GLZ2003') });
    memory.tasks.set('t', { ...task, attempts: [earlier], attempt_count: 1 });
    memory.now += 50;
    memory.write(settled(task, failure('GLZ2006'), { start: null }));
    expect(memory.tasks.get('t')?.attempts).toEqual([earlier]);
  });

  it('keeps all earlier attempts when its own ends', () => {
    const { memory, task } = claimed();
    const earlier = attempt({ error: trouble('GLZ2003') });
    memory.tasks.set('t', { ...task, attempts: [earlier], attempt_count: 1 });
    memory.write(settled(task, failure()));
    expect(memory.tasks.get('t')?.attempts).toEqual([earlier, attempt({ attempt: 2, error: trouble() })]);
  });

  it('of a task without a stored body is retried as by default', () => {
    const { memory, task } = claimed();
    memory.bodies.clear();
    expect(memory.write(settled(task, failure(), { chance: 0.5 })).due_in_ms).toBe(750);
  });
});

describe('an attempt that asks to come again', () => {
  it('does not use up one of the attempts', () => {
    const { memory, task } = claimed();
    memory.tasks.set('t', { ...task, attempt_count: 2 });
    const ask = { word: 'again', after_ms: 2_500.2, reason: 'busy' } as const;
    const { verdicts, changes } = memory.commit(settled(task, ask));
    const error = {
      code: 2004,
      message: 'busy',
      data: { error_code: 'GLZ2004', retry_after_ms: 2_500.2 },
    };
    expect(verdicts).toEqual([
      { ok: true, answer: { recorded: true, status: 'retrying', due_in_ms: 2_501 } },
    ]);
    expect(changes.tasks[0]).toMatchObject({ attempt_count: 3, attempt_base: 1, due_at: 1_002_501, error });
    expect(changes.happenings[0]?.events[3]).toEqual({
      event: 'task:retrying',
      task_id: 't',
      data: { attempt: 3, due_at: 1_002_501, error, counts: false },
    });
  });

  it('comes at once where it asks for the past', () => {
    const { memory, task } = claimed();
    const ask = { word: 'again', after_ms: -5, reason: 'now' } as const;
    expect(memory.write(settled(task, ask)).due_in_ms).toBe(0);
  });

  it('fails when that would be out of time', () => {
    const { memory, task } = claimed({ total_timeout: 1 });
    const ask = (after_ms: number) => ({ word: 'again', after_ms, reason: 'busy' }) as const;
    const { changes } = memory.commit(settled(task, ask(1_000)));
    expect(changes.tasks[0]).toMatchObject({ status: 'failed', attempt_base: 0, error: { message: 'busy' } });
    const other = claimed({ total_timeout: 1 });
    expect(other.memory.write(settled(other.task, ask(999))).status).toBe('retrying');
  });
});
