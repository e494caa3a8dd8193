import { describe, expect, it } from 'vitest';
import { errorRecord } from '../errors.ts';
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
  trouble,
} from '../testing/builders.suite.ts';
import { Memory } from '../testing/memory.suite.ts';
import type { AttemptStart, NewTask } from '../writes.ts';

function claimed(fields: Partial<NewTask> = {}): { memory: Memory; task: TaskRow } {
  const memory = new Memory();
  memory.write(submitted(lone('t', fields)));
  return { memory, task: memory.claim('e')[0] ?? taskRow() };
}

function attempt(fields: Partial<TaskRow['attempts'][number]> = {}): TaskRow['attempts'][number] {
  return { attempt: 1, started_at: 1_000_000, ended_at: 1_000_000, provider: 'p1', error: null, ...fields };
}

const single = { ...defaultRetry, max_attempts: 1 };

/** What a task says whose total timeout of a second leaves no room for another try. */
function outOfTime(last: string) {
  return errorRecord('GLZ2003', 'the task did not finish within its total timeout of 1 s', {
    field: 'total_timeout',
    reason: `last error: ${last}`,
  });
}

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
    const { memory, task } = claimed({ total_timeout: 1 });
    const { verdicts, changes } = memory.commit(settled(task, failure()));
    expect(verdicts).toEqual([{ ok: true, answer: { recorded: true, status: 'failed', due_in_ms: null } }]);
    const error = outOfTime('trouble GLZ2001');
    expect(changes.tasks[0]).toMatchObject({ error, attempts: [attempt({ error: trouble() })] });
    expect(changes.happenings[0]?.events[3]).toEqual({
      event: 'task:failed',
      task_id: 't',
      data: { attempt: 1, error, attempt_error: trouble() },
    });
  });

  it('is named by the task that it leaves without time', () => {
    const { memory, task } = claimed({ total_timeout: 1 });
    const error = errorRecord('GLZ2002', 'cut', { provider: 'p1', attempt: 1 });
    memory.write(settled(task, { word: 'failed', error }));
    expect(memory.tasks.get('t')?.error?.data).toEqual({
      error_code: 'GLZ2003',
      field: 'total_timeout',
      reason: 'last error: cut',
      provider: 'p1',
      attempt: 1,
    });
  });

  it('fails its task with its own error when there was no other try to be had anyway', () => {
    const { memory, task } = claimed({ total_timeout: 1, spec: spec({ retry_config: single }) });
    const { changes } = memory.commit(settled(task, failure()));
    expect(changes.tasks[0]).toMatchObject({ status: 'failed', error: trouble() });
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

  it('clears its task of suspicion only if it came to a call', () => {
    const suspectAfter = (start: AttemptStart | null) => {
      const { memory, task } = claimed();
      memory.tasks.set('t', { ...task, suspect: true });
      memory.write(settled(task, failure('GLZ2007'), { start }));
      return memory.tasks.get('t')?.suspect;
    };
    expect(suspectAfter({ attempt: 1, provider: 'p1', ago_ms: 0 })).toBe(false);
    expect(suspectAfter({ attempt: 1, provider: null, ago_ms: 0 })).toBe(true);
    expect(suspectAfter(null)).toBe(true);
  });

  it('brings no suspicion on its task', () => {
    const { memory, task } = claimed();
    memory.write(settled(task, failure('GLZ2007'), { start: { attempt: 1, provider: null, ago_ms: 0 } }));
    expect(memory.tasks.get('t')?.suspect).toBe(false);
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
  it('does not use up one of the attempts, and says whom it called', () => {
    const { memory, task } = claimed();
    memory.tasks.set('t', { ...task, attempt_count: 2 });
    const ask = { word: 'again', after_ms: 2_500.2, reason: 'busy' } as const;
    const { verdicts, changes } = memory.commit(settled(task, ask));
    const error = {
      code: 2004,
      message: 'busy',
      data: { error_code: 'GLZ2004', retry_after_ms: 2_500.2, provider: 'p1', attempt: 3 },
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

  it.each([1e17, 1e300, Number.POSITIVE_INFINITY])(
    'comes in ten years where it asks for %d ms',
    (after_ms) => {
      const { memory, task } = claimed();
      const ask = { word: 'again', after_ms, reason: 'busy' } as const;
      const tenYears = 10 * 365 * 24 * 3600 * 1000;
      expect(memory.write(settled(task, ask)).due_in_ms).toBe(tenYears);
      expect(memory.tasks.get('t')?.error?.data.retry_after_ms).toBe(tenYears);
    },
  );

  it('fails when that would be out of time', () => {
    const { memory, task } = claimed({ total_timeout: 1 });
    const ask = (after_ms: number) => ({ word: 'again', after_ms, reason: 'busy' }) as const;
    const { changes } = memory.commit(settled(task, ask(1_000)));
    expect(changes.tasks[0]).toMatchObject({
      status: 'failed',
      attempt_base: 0,
      error: outOfTime('busy'),
      attempts: [{ error: { message: 'busy', data: { error_code: 'GLZ2004' } } }],
    });
    const other = claimed({ total_timeout: 1 });
    expect(other.memory.write(settled(other.task, ask(999))).status).toBe('retrying');
  });
});
