import { describe, expect, it } from 'vitest';
import type { TaskRow } from '../records.ts';
import {
  done,
  failure,
  type Graph,
  settled,
  submitted,
  taskRow,
  workflow,
} from '../testing/builders.suite.ts';
import { Memory, story } from '../testing/memory.suite.ts';
import type { NewTask } from '../writes.ts';

function running(graph: Graph, fields: Record<string, Partial<NewTask>> = {}) {
  const memory = new Memory();
  memory.write(submitted(workflow(graph, fields)));
  memory.claim('e');
  const task = (id: string): TaskRow => memory.tasks.get(`w.${id}`) ?? taskRow();
  const statuses = () => Object.fromEntries([...memory.tasks.values()].map((row) => [row.id, row.status]));
  return { memory, task, statuses };
}

const diamond = { a: [], b: ['a'], c: ['a'], d: ['b', 'c'] };

describe('what follows from a task that settled', () => {
  it('is that its dependents may run, and nothing of the rest', () => {
    const { memory, task, statuses } = running(diamond);
    const { changes } = memory.commit(settled(task('a'), done));
    expect(story(changes).slice(4)).toEqual([
      'task:queued w.b {"reason":"dependencies_settled"}',
      'task:queued w.c {"reason":"dependencies_settled"}',
    ]);
    expect(changes.tasks.map((row) => row.id)).toEqual(['a', 'b', 'c']);
    expect(changes.runs).toMatchObject([{ open: 3, status: 'running', seq: 11 }]);
    expect(changes.settled.map((row) => row.task_id)).toEqual(['w.a']);
    expect(statuses()).toEqual({ a: 'completed', b: 'queued', c: 'queued', d: 'waiting' });
  });

  it('is that all behind it are skipped, each because of the one before it', () => {
    const { memory, task } = running(diamond);
    const { changes } = memory.commit(settled(task('a'), failure('GLZ2010')));
    expect(story(changes).slice(4)).toEqual([
      'task:skipped w.b {"because":"w.a"}',
      'task:skipped w.c {"because":"w.a"}',
      'task:skipped w.d {"because":"w.b"}',
      'workflow:failed {"failed":1}',
    ]);
    expect(changes.settled).toEqual([
      { task_id: 'w.a', workflow_id: 'w', status: 'failed' },
      { task_id: 'w.b', workflow_id: 'w', status: 'skipped' },
      { task_id: 'w.c', workflow_id: 'w', status: 'skipped' },
      { task_id: 'w.d', workflow_id: 'w', status: 'skipped' },
    ]);
    expect(changes.settledRuns).toEqual([{ workflow_id: 'w', status: 'failed' }]);
    expect(memory.tasks.get('w.d')).toMatchObject({ pending: 0, blocked: 2, settled_at: 1_000_000 });
    expect(memory.runs.get('w')).toMatchObject({
      open: 0,
      failed: 1,
      status: 'failed',
      settled_at: 1_000_000,
    });
  });

  it('is the end of the run with the last one', () => {
    const { memory, task } = running({ a: [], b: [] });
    expect(memory.commit(settled(task('a'), done)).changes.settledRuns).toEqual([]);
    const { changes } = memory.commit(settled(task('b'), done));
    expect(story(changes).at(-1)).toBe('workflow:completed {}');
    expect(changes.settledRuns).toEqual([{ workflow_id: 'w', status: 'completed' }]);
  });

  it('does not settle again what had settled before', () => {
    const { memory, task } = running({ a: [], b: ['a'], c: [] });
    memory.write({ kind: 'cancel_task', task_id: 'w.b', reason: null });
    const { changes } = memory.commit(settled(task('a'), done));
    expect(changes.settled.map((row) => row.task_id)).toEqual(['w.a']);
    expect(memory.tasks.get('w.b')).toMatchObject({ status: 'cancelled', pending: 0 });
  });

  it('asks for bodies only where there are dependents, and passes over those that are gone', () => {
    const { memory, task } = running({ a: [], b: ['a'], c: [] });
    memory.bodies.delete('w.c');
    memory.tasks.delete('w.b');
    expect(memory.write(settled(task('a'), done)).status).toBe('completed');
    expect(memory.write(settled(task('c'), done)).status).toBe('completed');
    const other = running({ a: [], b: ['a'] });
    other.memory.bodies.clear();
    expect(other.memory.write(settled(other.task('a'), done)).status).toBe('completed');
    expect(other.statuses()).toEqual({ a: 'completed', b: 'waiting' });
  });
});

describe('a run of 10,000 tasks', () => {
  it('is not read when one of them settles', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `t${index}`);
    // Each waits for the one ten before it: ten chains of a thousand.
    const graph = Object.fromEntries(ids.map((id, index) => [id, index < 10 ? [] : [`t${index - 10}`]]));
    const memory = new Memory();
    memory.write(submitted(workflow(graph)));
    const [task] = memory.claim('e', 1);
    memory.reads = 0;
    const { changes } = memory.commit(settled(task ?? taskRow(), done));
    expect(memory.reads).toBeLessThanOrEqual(8);
    expect(changes.tasks.map((row) => row.id)).toEqual(['t0', 't10']);
  });
});
