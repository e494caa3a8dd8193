import { describe, expect, it } from 'vitest';
import { done, failure, settled, submitted, taskRow, workflow } from '../testing/builders.suite.ts';
import { Memory, story } from '../testing/memory.suite.ts';
import type { NewRun } from '../writes.ts';

/** a → b → c, where the first `reused` of them bring the results of an earlier run. */
function retried(reused: readonly string[]): NewRun {
  const graph = { a: [], b: ['a'], c: ['b'] };
  const fields = Object.entries(graph).map(([id, after]: [string, readonly string[]]) => {
    const from = { workflow_id: 'old', task_id: `old.${id}`, result: `"${id} of old"` };
    const pending = after.filter((other) => !reused.includes(other)).length;
    return [id, reused.includes(id) ? { pending, reused: from } : { pending }];
  });
  const run = workflow(graph, Object.fromEntries(fields));
  return run.workflow === null ? run : { ...run, workflow: { ...run.workflow, retry_of: 'old' } };
}

describe('a run that starts from an earlier one', () => {
  it('has the reused tasks completed from the start, and says whose results they are', () => {
    const memory = new Memory();
    const { changes } = memory.commit(submitted(retried(['a'])));
    expect(story(changes).map((line) => line.replace(/ \{.*task":.*/, ''))).toEqual([
      'workflow:started {"name":"flow","version":"1","total":3,"input_hash":"#{\\"x\\":1}","retry_of":"old"}',
      'task:queued w.a',
      'task:reused w.a {"from":{"workflow_id":"old","task_id":"old.a"},"result_hash":"#\\"a of old\\""}',
      'task:queued w.b',
      'task:waiting w.c',
    ]);
    expect(memory.runs.get('w')).toMatchObject({ retry_of: 'old', total: 3, open: 2, status: 'running' });
    expect(memory.tasks.get('w.a')).toMatchObject({
      status: 'completed',
      settled_at: memory.now,
      attempt_count: 0,
      attempts: [],
      rank: 0,
      due_at: null,
    });
    expect(memory.results.get('w.a')).toEqual({
      task_id: 'w.a',
      run_key: 'w',
      result: '"a of old"',
      hash: '#"a of old"',
      stored_at: memory.now,
    });
    expect(changes.settled).toEqual([{ task_id: 'w.a', workflow_id: 'w', status: 'completed' }]);
    expect(memory.disagreements()).toEqual([]);
  });

  it('goes on to its end from there', () => {
    const memory = new Memory();
    memory.commit(submitted(retried(['a', 'b'])));
    const [c] = memory.claim('e');
    expect(c?.id).toBe('c');
    memory.write(settled(c ?? taskRow(), done));
    expect(memory.runs.get('w')).toMatchObject({ status: 'completed', open: 0, failed: 0 });
    expect(memory.disagreements()).toEqual([]);
  });

  it('can fail, and its failed task can be retried in it', () => {
    const memory = new Memory();
    memory.commit(submitted(retried(['a'])));
    const [b] = memory.claim('e');
    memory.write(settled(b ?? taskRow(), failure('GLZ2010')));
    expect(memory.runs.get('w')?.status).toBe('failed');
    memory.write({ kind: 'retry_task', task_id: 'w.b' });
    expect(memory.tasks.get('w.c')?.status).toBe('waiting');
    const [again] = memory.claim('e');
    memory.write(settled(again ?? taskRow(), done));
    expect(memory.tasks.get('w.c')?.status).toBe('queued');
    expect(memory.disagreements()).toEqual([]);
  });
});
