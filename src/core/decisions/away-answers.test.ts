import { describe, expect, it } from 'vitest';
import { defaultRetry } from '../retry.ts';
import { arrived, awayTask, claimedTask, nameOf, startedAway } from '../testing/away.suite.ts';
import { done, failure, lone, outside, settled, spec, started, workflow } from '../testing/builders.suite.ts';
import { type Memory, story } from '../testing/memory.suite.ts';

const rowOf = (memory: Memory, task_id = 't') => memory.tasks.get(task_id);
const answers = (verdicts: readonly { ok: boolean; answer?: unknown }[]) =>
  verdicts.map(({ answer }) => answer);
const words = (changes: Parameters<typeof story>[0]) => story(changes).map((line) => line.split(' ')[0]);

describe('an answer that comes back', () => {
  it('ends the attempt, and is recorded once', () => {
    const { memory, name } = awayTask();
    memory.now += 300;
    const { verdicts, changes } = memory.commit(
      arrived(name, done, { ago_ms: 250 }),
      arrived(name, failure()),
    );
    expect(answers(verdicts)).toEqual([
      { recorded: true, status: 'completed', due_in_ms: null },
      { recorded: false, status: 'completed', due_in_ms: null },
    ]);
    expect(words(changes)).toEqual(['task:started', 'task:completed']);
    expect(rowOf(memory)).toMatchObject({
      status: 'completed',
      due_at: null,
      parked: null,
      attempts: [{ started_at: memory.now - 250, ended_at: memory.now, provider: 'p1', error: null }],
    });
    expect(memory.disagreements()).toEqual([]);
  });

  it('may come from another provider than was asked, or not say from whom', () => {
    for (const [provider, said] of [
      ['p2', 'p2'],
      [null, 'p1'],
    ] as const) {
      const { memory, name } = awayTask();
      memory.write(arrived(name, done, { provider }));
      expect(rowOf(memory)?.attempts[0]?.provider).toBe(said);
      expect(memory.disagreements()).toEqual([]);
      const running = awayTask();
      running.memory.write(startedAway(running.name));
      running.memory.write(arrived(running.name, done, { provider }));
      expect(rowOf(running.memory)?.attempts[0]?.provider).toBe(said);
      expect(running.memory.disagreements()).toEqual([]);
    }
  });

  it('is taken by whatever engine, and taken from the one that holds the task', () => {
    const { memory, task } = claimedTask();
    const { changes } = memory.commit(arrived(nameOf(task)));
    expect(changes.revoked).toEqual([]);
    expect(words(changes)).toEqual(['task:validated', 'task:routed', 'task:started', 'task:completed']);
    expect(memory.write(settled(task, failure()))).toMatchObject({ recorded: false, status: 'completed' });
    expect(memory.disagreements()).toEqual([]);
  });

  it('is taken of a task that is queued again, or waits in a line', () => {
    const { memory, task } = claimedTask();
    const { owner, ...lease } = { owner: 'e', task_id: 't', fence: task.fence };
    memory.write({ kind: 'release', owner, leases: [lease], line: 'line rate x' });
    const { changes } = memory.commit(arrived(nameOf(task)));
    expect(changes.revoked).toEqual([]);
    expect(rowOf(memory)).toMatchObject({ status: 'completed', parked: null });
  });

  it('is taken of an attempt that an engine makes by itself', () => {
    const { memory, task } = claimedTask();
    memory.write(started(task));
    const { verdicts, changes } = memory.commit(arrived(nameOf(task)));
    expect(verdicts).toMatchObject([{ answer: { recorded: true } }]);
    expect(changes.revoked).toEqual([{ task_id: 't', owner: 'e' }]);
    expect(memory.write(settled(task, done))).toMatchObject({ recorded: false });
  });

  it('is refused of another attempt, of an earlier life of the task, and of one that nobody knows', () => {
    const { memory, name } = awayTask();
    const refused = { recorded: false, status: 'routed', due_in_ms: null };
    expect(memory.write(arrived({ ...name, attempt: 2 }))).toEqual(refused);
    expect(memory.write(arrived({ ...name, generation: 1 }))).toEqual(refused);
    expect(memory.write(arrived({ ...name, task_id: 'gone' }))).toEqual({ ...refused, status: null });
    memory.write({ kind: 'cancel_task', task_id: 't', reason: null });
    memory.write({ kind: 'retry_task', task_id: 't' });
    expect(memory.write(arrived(name))).toEqual({ ...refused, status: 'queued' });
    expect(memory.write(arrived({ ...name, generation: 1 }))).toMatchObject({ recorded: true });
  });

  it('may fail the attempt, ask for another, or wait for somebody outside; then it is not taken again', () => {
    for (const [answer, status] of [
      [failure('GLZ2002'), 'retrying'],
      [{ word: 'again', after_ms: 10, reason: 'busy' }, 'retrying'],
      [outside({ kind: 'notification' }), 'executing'],
      [outside(), 'input_required'],
    ] as const) {
      const { memory, name } = awayTask();
      expect(memory.write(arrived(name, answer))).toMatchObject({ recorded: true, status });
      expect(memory.write(arrived(name))).toMatchObject({ recorded: false, status });
      expect(memory.disagreements()).toEqual([]);
    }
  });
});

describe('a call that stays away too long', () => {
  const once = lone('t', { spec: spec({ retry_config: { ...defaultRetry, max_attempts: 1 } }) });

  it('is given up, counts as an attempt, and is made again', () => {
    const { memory, name } = awayTask(lone('t'), { bound_ms: 1000 });
    memory.now += 1000;
    const answer = memory.write({ kind: 'wake_due', limit: 10 });
    expect(answer).toMatchObject({ moved: 1, abandoned: [{ ...name, provider: 'p1' }] });
    expect(rowOf(memory)).toMatchObject({
      status: 'retrying',
      attempt_count: 1,
      attempts: [{ provider: 'p1', error: { data: { error_code: 'GLZ2003', provider: 'p1', attempt: 1 } } }],
    });
    expect(memory.write(arrived(name))).toMatchObject({ recorded: false });
    expect(memory.disagreements()).toEqual([]);
  });

  it('is made again at once where its retries wait for nothing', () => {
    const retry_config = { ...defaultRetry, initial_delay: 0 };
    const { memory } = awayTask(lone('t', { spec: spec({ retry_config }) }), { bound_ms: 1000 });
    memory.now += 1000;
    expect(memory.write({ kind: 'wake_due', limit: 10 })).toMatchObject({ moved: 1, next_in_ms: 0 });
    expect(memory.write({ kind: 'wake_due', limit: 10 })).toMatchObject({ moved: 1, next_in_ms: null });
    expect(rowOf(memory)?.status).toBe('queued');
  });

  it('fails its task where no attempt is left, also when nobody knows whom it was for', () => {
    const { memory, name } = awayTask(once, { bound_ms: 1000, provider: null });
    memory.now += 1000;
    const { abandoned } = memory.write({ kind: 'wake_due', limit: 10 });
    expect(abandoned).toEqual([{ ...name, provider: null }]);
    const { error, status } = rowOf(memory) ?? {};
    expect(status).toBe('failed');
    expect(error?.data).toMatchObject({ error_code: 'GLZ2003', attempt: 1 });
    expect(error?.data).not.toHaveProperty('provider');
  });

  it('is given up in the same way once it has started', () => {
    const { memory, name } = awayTask(lone('t'), { bound_ms: 1000 });
    memory.write(startedAway(name));
    memory.now += 1000;
    memory.write({ kind: 'wake_due', limit: 10 });
    expect(rowOf(memory)).toMatchObject({ status: 'retrying', attempt_count: 1 });
    expect(memory.disagreements()).toEqual([]);
  });

  it('fails its task where its total timeout has run out, without an attempt that nobody saw', () => {
    const { memory, name } = awayTask(lone('t', { total_timeout: 1 }));
    memory.now += 1000;
    const { abandoned } = memory.write({ kind: 'wake_due', limit: 10 });
    expect(abandoned).toEqual([{ ...name, provider: 'p1' }]);
    expect(rowOf(memory)).toMatchObject({ status: 'failed', parked: null, attempt_count: 0, attempts: [] });
    expect(memory.disagreements()).toEqual([]);
  });
});

describe('cancelling', () => {
  it('tells of the call that is away, whether it has started or not', () => {
    for (const begins of [false, true]) {
      const { memory, name } = awayTask();
      if (begins) memory.write(startedAway(name));
      expect(memory.write({ kind: 'cancel_task', task_id: 't', reason: 'enough' })).toEqual({
        status: 'cancelled',
        cancelled: true,
        abandoned: [{ ...name, provider: 'p1' }],
      });
      expect(rowOf(memory)).toMatchObject({ status: 'cancelled', parked: null, due_at: null });
      expect(rowOf(memory)?.attempt_count).toBe(begins ? 1 : 0);
      expect(memory.disagreements()).toEqual([]);
    }
  });

  it('of a run tells of all its calls that are away, and of what they kept', () => {
    const { memory, task, name } = awayTask(workflow({ a: [], b: [] }));
    memory.write({ kind: 'keep_away', ...name, kept: '7' });
    const { abandoned } = memory.write({ kind: 'cancel_run', workflow_id: 'w', reason: null });
    const { task_id } = task;
    expect(abandoned).toEqual([
      { task_id, generation: 0, provider: 'p1', kept: '7' },
      { ...name, provider: 'p1' },
    ]);
    expect(memory.disagreements()).toEqual([]);
  });
});
