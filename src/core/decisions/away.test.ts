import { describe, expect, it } from 'vitest';
import { arrived, awayTask, claimedTask, handedOver, nameOf, startedAway } from '../testing/away.suite.ts';
import { lone, workflow } from '../testing/builders.suite.ts';
import { type Memory, story } from '../testing/memory.suite.ts';

const rowOf = (memory: Memory, task_id = 't') => memory.tasks.get(task_id);
const answers = (verdicts: readonly { ok: boolean; answer?: unknown }[]) =>
  verdicts.map(({ answer }) => answer);
const words = (changes: Parameters<typeof story>[0]) => story(changes).map((line) => line.split(' ')[0]);

describe('a call that is handed over', () => {
  it('is held by nobody, and has so long to be answered', () => {
    const { memory, task } = claimedTask();
    const { verdicts, changes } = memory.commit(handedOver(task, { bound_ms: 5000 }));
    expect(answers(verdicts)).toEqual([{ handed_over: true, unwanted: false, due_in_ms: 5000 }]);
    expect(story(changes)).toEqual(['task:validated t {}', 'task:routed t {"provider":"p1","via":"bridge"}']);
    expect(rowOf(memory)).toMatchObject({
      status: 'routed',
      owner: null,
      parked: 'bridge p1',
      due_at: memory.now + 5000,
      attempt_count: 0,
      attempts: [],
    });
    expect(memory.disagreements()).toEqual([]);
    expect(memory.claim('e')).toEqual([]);
  });

  it('is waited for no longer than its task has time', () => {
    const { memory, task } = claimedTask(lone('t', { total_timeout: 2 }));
    expect(memory.write(handedOver(task, { bound_ms: 5000 }))).toMatchObject({ due_in_ms: 2000 });
    expect(rowOf(memory)?.due_at).toBe(rowOf(memory)?.expires_at);
  });

  it('is handed over once, however often that is said', () => {
    const { memory, task } = claimedTask();
    memory.write(handedOver(task));
    const again = { handed_over: true, unwanted: false, due_in_ms: null };
    const { verdicts, changes } = memory.commit(
      handedOver(task),
      startedAway(nameOf(task)),
      handedOver(task),
    );
    expect(answers(verdicts)).toEqual([again, { started: true }, again]);
    expect(words(changes)).toEqual(['task:started']);
  });

  it('is left alone by rescue and by whoever compares what it holds', () => {
    const { memory } = awayTask();
    memory.write({ kind: 'leave', owner: 'e' });
    expect(memory.write({ kind: 'rescue', limit: 10 })).toEqual({ rescued: 0, more: false });
    expect(memory.write({ kind: 'reconcile', owner: 'e', held: [] })).toEqual({ released: 0, gone: [] });
    expect(rowOf(memory)?.status).toBe('routed');
  });

  it('goes on in a run that is paused, and what comes after it waits', () => {
    const { memory, name } = awayTask(workflow({ a: [], b: ['a'] }));
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    expect(rowOf(memory, 'w.a')?.status).toBe('routed');
    memory.write(arrived(name));
    expect(rowOf(memory, 'w.b')).toMatchObject({ status: 'queued', parked: 'paused' });
    expect(memory.disagreements()).toEqual([]);
  });
});

describe('a call that was handed over in vain', () => {
  const refused = (memory: Memory, write: ReturnType<typeof handedOver>) => memory.write(write);

  it('is unwanted where its task was cancelled meanwhile, also once that was reopened', () => {
    const { memory, task } = claimedTask();
    memory.write({ kind: 'cancel_task', task_id: 't', reason: null });
    expect(refused(memory, handedOver(task))).toEqual({
      handed_over: false,
      unwanted: true,
      due_in_ms: null,
    });
    memory.write({ kind: 'retry_task', task_id: 't' });
    expect(refused(memory, handedOver(task))).toMatchObject({ handed_over: false, unwanted: true });
  });

  it('is unwanted where its task is not there any more', () => {
    const { memory, task } = claimedTask();
    expect(refused(memory, handedOver({ ...task, task_id: 'gone' }))).toMatchObject({ unwanted: true });
  });

  it('may still be answered where another engine is to make it', () => {
    const { memory, task } = claimedTask();
    memory.write({ kind: 'leave', owner: 'e' });
    memory.write({ kind: 'rescue', limit: 10 });
    expect(refused(memory, handedOver(task))).toMatchObject({ handed_over: false, unwanted: false });
    const [again] = memory.claim('e2');
    memory.write(handedOver(again ?? task));
    expect(refused(memory, handedOver(task))).toMatchObject({ handed_over: false, unwanted: false });
  });

  it('is not unwanted where its answer was quicker', () => {
    const { memory, task } = claimedTask();
    memory.write(arrived(nameOf(task)));
    expect(refused(memory, handedOver(task))).toMatchObject({ handed_over: false, unwanted: false });
  });
});

describe('what is heard of a call that is away', () => {
  it('is its start, once, at the time that it says', () => {
    const { memory, name } = awayTask();
    memory.now += 500;
    const { verdicts, changes } = memory.commit(startedAway(name, 200), startedAway(name, 0));
    expect(answers(verdicts)).toEqual([{ started: true }, { started: true }]);
    const started_at = memory.now - 200;
    expect(story(changes)).toEqual([`task:started t {"attempt":1,"started_at":${started_at}}`]);
    expect(rowOf(memory)).toMatchObject({
      status: 'executing',
      owner: null,
      parked: null,
      attempt_count: 1,
      due_at: memory.now - 500 + 60_000,
      attempts: [{ attempt: 1, started_at, ended_at: null, provider: 'p1' }],
    });
    expect(memory.disagreements()).toEqual([]);
  });

  it('is its progress, which is the start as well where nobody told of that', () => {
    const { memory, name } = awayTask();
    const tell = { kind: 'progress_away', ...name, told: { progress: 1 } } as const;
    const { verdicts, changes } = memory.commit(tell, tell);
    expect(answers(verdicts)).toEqual([{ recorded: true }, { recorded: true }]);
    expect(words(changes)).toEqual(['task:started', 'task:progress', 'task:progress']);
    expect(rowOf(memory)?.attempts[0]?.progress).toMatchObject({ progress: 1 });
    expect(memory.disagreements()).toEqual([]);
  });

  it('is what it keeps, which the next attempt gets', () => {
    const { memory, name } = awayTask();
    const keep = { kind: 'keep_away', ...name, kept: '{"job":7}' } as const;
    expect(memory.write(keep)).toEqual({ recorded: true, soon: false });
    expect(rowOf(memory)?.attempts[0]?.outside?.kept).toEqual({
      provider: 'p1',
      hash: '#{"job":7}',
      text: '{"job":7}',
    });
    memory.write(arrived(name, { word: 'withdrawn' }));
    expect(rowOf(memory)).toMatchObject({ status: 'queued', attempts: [{ outside: { kept: {} } }] });
    expect(memory.disagreements()).toEqual([]);
  });

  it('is refused of another attempt, of one that is held, and of one that has ended', () => {
    const { memory, task } = claimedTask();
    const name = nameOf(task);
    const all = (of: typeof name) =>
      answers(
        memory.commit(
          startedAway(of),
          { kind: 'progress_away', ...of, told: { progress: 1 } },
          { kind: 'keep_away', ...of, kept: '1' },
        ).verdicts,
      );
    const refused = [{ started: false }, { recorded: false }, { recorded: false, soon: false }];
    const soon = [{ started: false }, { recorded: false }, { recorded: false, soon: true }];
    expect(all(name)).toEqual(soon);
    memory.write(handedOver(task));
    expect(all({ ...name, attempt: 2 })).toEqual(refused);
    expect(all({ ...name, generation: 1 })).toEqual(refused);
    expect(all({ ...name, task_id: 'gone' })).toEqual(refused);
    memory.write(arrived(name));
    expect(all(name)).toEqual(refused);
  });

  it('is a notification that comes before its start was told', () => {
    const { memory } = awayTask();
    const early = {
      kind: 'respond',
      task_id: 't',
      attempt: null,
      response: '1',
      mark: '1',
      token: 'x',
    } as const;
    expect(memory.write({ ...early, early: true })).toEqual({ status: 'executing', recorded: true });
    expect(memory.write({ ...early, early: true })).toEqual({ status: 'executing', recorded: false });
    expect(rowOf(memory)?.attempts).toMatchObject([{ attempt: 1, outside: { early: { mark: '1' } } }]);
    expect(memory.disagreements()).toEqual([]);
  });
});
