import { describe, expect, it } from 'vitest';
import { fold } from './fold.ts';
import { differences, stateOf } from './fold-compare.ts';
import {
  done,
  failure,
  lone,
  newTask,
  settled,
  submitted,
  taskRow,
  trouble,
  workflow,
} from './testing/builders.suite.ts';
import { Memory } from './testing/memory.suite.ts';

describe('stateOf', () => {
  it('knows the agent that a task is for, as the log does', () => {
    const memory = new Memory();
    const { spec } = newTask('t');
    memory.write(submitted(lone('t', { spec: { ...spec, agent: 'A' } })));
    const state = stateOf(memory.stored('t'));
    expect(state).toEqual(fold(memory.log.get('t') ?? []));
    expect(state.tasks.get('t')).toMatchObject({ agent: 'A' });
  });

  it('is what the log of a run folds to', () => {
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [], b: ['a'] }, { a: { total_timeout: 9 } })));
    const [a] = memory.claim('e');
    memory.write(settled(a ?? taskRow(), failure()));
    const state = stateOf(memory.stored('w'));
    expect(state).toEqual(fold(memory.log.get('w') ?? []));
    expect(state.run).toEqual({
      workflow_id: 'w',
      name: 'flow',
      version: '1',
      status: 'running',
      total: 2,
      input_hash: '#{"x":1}',
      created_at: 1_000_000,
      settled_at: null,
      retry_of: null,
    });
    expect(state.seq).toBe(7);
    expect(state.tasks.get('w.a')).toEqual({
      task_id: 'w.a',
      id: 'a',
      name: 'a',
      protocol: 'echo/v1',
      method: 'echo',
      priority: 'normal',
      dependencies: [],
      params_hash: '#{}',
      created_at: 1_000_000,
      status: 'retrying',
      attempt_count: 1,
      attempt_base: 0,
      generation: 0,
      attempts: [
        { attempt: 1, started_at: 1_000_000, ended_at: 1_000_000, provider: 'p1', error: trouble() },
      ],
      budget_from: 1_000_000,
      provider: 'p1',
      due_at: 1_001_000,
      settled_at: null,
      error: trouble(),
      result_hash: null,
    });
  });

  it('is what the log of a task alone folds to', () => {
    const memory = new Memory();
    memory.write(submitted(lone('t', { total_timeout: 9 })));
    expect(stateOf(memory.stored('t'))).toEqual(fold(memory.log.get('t') ?? []));
    const [task] = memory.claim('e');
    memory.write(settled(task ?? taskRow(), done));
    const state = stateOf(memory.stored('t'));
    expect([state.run, state.seq]).toEqual([null, 5]);
    expect(state).toEqual(fold(memory.log.get('t') ?? []));
  });

  it('of nothing is nothing', () => {
    expect(stateOf({ run: null, tasks: [] })).toEqual(fold([]));
  });
});

describe('differences', () => {
  function both() {
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [], b: ['a'] })));
    return { folded: fold(memory.log.get('w') ?? []), stored: stateOf(memory.stored('w')) };
  }

  it('are none where both agree', () => {
    const { folded, stored } = both();
    expect(differences(folded, stored)).toEqual([]);
  });

  it('name the place and both sides', () => {
    const { folded, stored } = both();
    const tasks = new Map(stored.tasks);
    const b = stored.tasks.get('w.b');
    if (b !== undefined) {
      tasks.set('w.b', { ...b, status: 'queued', dependencies: [], error: trouble(), attempt_count: 2 });
    }
    expect(differences(folded, { ...stored, seq: 9, tasks })).toEqual([
      'seq: the log says 3, the store has 9',
      'tasks.w.b.dependencies.0: the log says "a", the store has nothing',
      'tasks.w.b.status: the log says "waiting", the store has "queued"',
      'tasks.w.b.attempt_count: the log says 0, the store has 2',
      `tasks.w.b.error: the log says null, the store has ${JSON.stringify(trouble())}`,
    ]);
  });

  it('are found where one side has less', () => {
    const { folded, stored } = both();
    const less = new Map([...stored.tasks].slice(0, 1));
    expect(differences(folded, { ...stored, tasks: less })).toEqual([
      expect.stringMatching(/^tasks\.w\.b: the log says \{.*\}, the store has nothing$/),
    ]);
    expect(differences({ ...folded, tasks: less, run: null }, stored)).toEqual([
      expect.stringMatching(/^run: the log says null, the store has \{.*\}$/),
      expect.stringMatching(/^tasks\.w\.b: the log says nothing, the store has \{.*\}$/),
    ]);
  });

  it('include a list where an object is', () => {
    const { folded, stored } = both();
    const run = { ...stored.run, version: [] } as unknown as typeof stored.run;
    const other = { ...folded.run, version: {} } as unknown as typeof stored.run;
    expect(differences({ ...folded, run: other }, { ...stored, run })).toEqual([
      'run.version: the log says {}, the store has []',
    ]);
  });
});

describe('a log of 10,000 tasks', () => {
  it('folds in the time it takes to read it', () => {
    const memory = new Memory();
    const ids = Array.from({ length: 10_000 }, (_, index) => [`t${index}`, []]);
    memory.write(submitted(workflow(Object.fromEntries(ids))));
    const copied = fold(memory.log.get('w') ?? []);
    expect(differences(copied, stateOf(memory.stored('w')))).toEqual([]);
    expect(copied.seq).toBe(10_001);
  });
});
