import { describe, expect, it } from 'vitest';
import type { TaskRow } from '../records.ts';
import {
  done,
  failure,
  lone,
  reported,
  settled,
  started,
  submitted,
  taskRow,
  workflow,
} from '../testing/builders.suite.ts';
import { Memory, story } from '../testing/memory.suite.ts';

function claimed(run = lone('t')): { memory: Memory; task: TaskRow } {
  const memory = new Memory();
  memory.write(submitted(run));
  return { memory, task: memory.claim('e')[0] ?? taskRow() };
}

const answers = (verdicts: readonly { ok: boolean; answer?: unknown }[]) =>
  verdicts.map(({ answer }) => answer);

describe('progress', () => {
  it('is told in the log and stands with the attempt that runs', () => {
    const { memory, task } = claimed();
    memory.write(started(task));
    const { verdicts, changes } = memory.commit(reported(task, { progress: 1, total: 4, text: 'a' }));
    expect(answers(verdicts)).toEqual([{ recorded: true }]);
    expect(story(changes)).toEqual(['task:progress t {"attempt":1,"progress":1,"total":4,"text":"a"}']);
    expect(memory.tasks.get('t')).toMatchObject({
      status: 'executing',
      owner: 'e',
      seq: 5,
      attempts: [{ progress: { progress: 1, total: 4, message: null, text: 'a', at: memory.now } }],
    });
    expect(memory.disagreements()).toEqual([]);
  });

  it('brings the start along that is still on its way', () => {
    const { memory, task } = claimed(workflow({ a: [] }));
    const { verdicts, changes } = memory.commit(reported(task, { progress: 1 }), started(task));
    expect(answers(verdicts)).toEqual([{ recorded: true }, { started: true }]);
    expect(story(changes).map((line) => line.split(' ')[0])).toEqual([
      'task:validated',
      'task:routed',
      'task:started',
      'task:progress',
    ]);
    expect(memory.disagreements()).toEqual([]);
  });

  it('is gone with the end of the attempt, which it is no part of', () => {
    const { memory, task } = claimed();
    memory.commit(reported(task, { progress: 1, text: 'half' }), settled(task, done));
    const row = memory.tasks.get('t');
    expect(row?.status).toBe('completed');
    expect(row?.attempts).toHaveLength(1);
    expect(row?.attempts[0]).not.toHaveProperty('progress');
    expect(memory.disagreements()).toEqual([]);
  });

  it('is refused after the attempt, from another attempt and from a dead lease', () => {
    const { memory, task } = claimed();
    memory.write(started(task));
    const late = { ...task, fence: task.fence - 1 };
    const { verdicts, changes } = memory.commit(
      reported(late, { progress: 1 }),
      reported({ ...task, owner: 'other' }, { progress: 1 }),
      reported(task, { progress: 1 }, 2),
      reported({ ...task, task_id: 'gone' }, { progress: 1 }),
    );
    const refused = { recorded: false };
    expect(answers(verdicts)).toEqual([refused, refused, refused, refused]);
    expect(story(changes)).toEqual([]);
    memory.commit(settled(task, failure()));
    expect(answers(memory.commit(reported(task, { progress: 1 })).verdicts)).toEqual([refused]);
  });

  it('is refused of an attempt that is not the next', () => {
    const { memory, task } = claimed();
    expect(answers(memory.commit(reported(task, { progress: 1 }, 2)).verdicts)).toEqual([
      { recorded: false },
    ]);
  });
});
