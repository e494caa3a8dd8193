import { describe, expect, it } from 'vitest';
import { lone, newTask, submitted, taskRow, workflow } from '../testing/builders.suite.ts';
import { Memory } from '../testing/memory.suite.ts';

const chain = workflow({ a: [], b: ['a'] });

describe('submitting a workflow', () => {
  it('puts down the run, its tasks, and what happened', () => {
    const memory = new Memory();
    const run = { ...workflow({ a: [], b: ['a'] }, { a: { total_timeout: 2 } }), idempotency_key: 'k' };
    const { verdicts, changes } = memory.commit(submitted(run));
    const accepted = {
      workflow_id: 'w',
      tasks: [
        ['a', 'w.a'],
        ['b', 'w.b'],
      ],
      status: 'running',
      created: true,
    };
    expect(verdicts).toEqual([{ ok: true, answer: { runs: [accepted] } }]);
    expect(changes.newRuns).toEqual([
      {
        row: {
          workflow_id: 'w',
          name: 'flow',
          version: '1',
          status: 'running',
          total: 2,
          open: 2,
          failed: 0,
          seq: 3,
          created_at: memory.now,
          settled_at: null,
          body_hash: 'body',
          input_hash: '#{"x":1}',
          retry_of: null,
        },
        input: '{"x":1}',
      },
    ]);
    const common = { workflow_id: 'w', created_at: memory.now, seq: 0 };
    const due = memory.now + 2_000;
    const queued = { total_timeout: 2, rank: memory.now + 120_000, expires_at: due, due_at: due };
    expect(changes.newTasks.map(({ row }) => row)).toEqual([
      taskRow({ ...common, task_id: 'w.a', id: 'a', has_dependents: true, ...queued }),
      taskRow({ ...common, task_id: 'w.b', id: 'b', status: 'waiting', pending: 1, rank: 0 }),
    ]);
    expect(changes.newTasks[1]?.body).toEqual({
      task_id: 'w.b',
      spec: run.tasks[1]?.spec,
      params: '{}',
      params_hash: '#{}',
      dependents: [],
      inputs: {},
      uses_input: false,
    });
    expect(changes.keys).toEqual([{ key: 'k', run_key: 'w', body_hash: 'body' }]);
    const common_introduction = {
      protocol: 'echo/v1',
      method: 'echo',
      priority: 'normal',
      params_hash: '#{}',
    };
    expect(changes.happenings).toEqual([
      {
        run_key: 'w',
        workflow_id: 'w',
        first_seq: 1,
        events: [
          {
            event: 'workflow:started',
            data: { name: 'flow', version: '1', total: 2, input_hash: '#{"x":1}' },
          },
          {
            event: 'task:queued',
            task_id: 'w.a',
            data: {
              reason: 'submitted',
              task: { ...common_introduction, id: 'a', name: 'a', dependencies: [] },
            },
          },
          {
            event: 'task:waiting',
            task_id: 'w.b',
            data: {
              reason: 'submitted',
              task: { ...common_introduction, id: 'b', name: 'b', dependencies: ['a'] },
            },
          },
        ],
      },
    ]);
    expect([changes.tasks, changes.runs, changes.settled, changes.settledRuns]).toEqual([[], [], [], []]);
  });

  it('answers again under the same id and body', () => {
    const memory = new Memory();
    memory.write(submitted(chain));
    memory.write({ kind: 'pause_run', workflow_id: 'w' });
    const { verdicts, changes } = memory.commit(submitted(chain));
    const again = {
      workflow_id: 'w',
      tasks: [
        ['a', 'w.a'],
        ['b', 'w.b'],
      ],
      status: 'paused',
      created: false,
    };
    expect(verdicts).toEqual([{ ok: true, answer: { runs: [again] } }]);
    expect([changes.newRuns, changes.happenings, changes.keys]).toEqual([[], [], []]);
  });

  it('answers again within the same commit', () => {
    const { verdicts } = new Memory().commit(submitted(chain), submitted(chain));
    const again = {
      workflow_id: 'w',
      tasks: [
        ['a', 'w.a'],
        ['b', 'w.b'],
      ],
      status: 'running',
      created: false,
    };
    expect(verdicts[1]).toEqual({ ok: true, answer: { runs: [again] } });
  });

  it('refuses another body under the same id, and leaves nothing', () => {
    const memory = new Memory();
    memory.write(submitted(chain));
    const other = { ...chain, body_hash: 'other', idempotency_key: 'new' };
    const { verdicts, changes } = memory.commit(submitted(lone('x'), other));
    expect(verdicts).toEqual([
      {
        ok: false,
        error: {
          code: 1009,
          message: 'workflow_id "w" was used before with another body',
          data: {
            error_code: 'GLZ1009',
            field: 'workflow_id',
            reason: 'the same key or id must come with the same body',
            hint: 'send the original body again to get its answer, or use a new key',
          },
        },
      },
    ]);
    expect([changes.newTasks, changes.newRuns, changes.keys, changes.happenings]).toEqual([[], [], [], []]);
  });
});

describe('submitting a task alone', () => {
  it('makes a run of one under its own id', () => {
    const memory = new Memory();
    const { verdicts, changes } = memory.commit(submitted({ ...lone('t'), idempotency_key: 'k' }));
    const accepted = { workflow_id: null, tasks: [['t', 't']], status: 'queued', created: true };
    expect(verdicts).toEqual([{ ok: true, answer: { runs: [accepted] } }]);
    expect(changes.newTasks[0]?.row).toEqual(
      taskRow({ task_id: 't', created_at: memory.now, rank: memory.now + 120_000, seq: 1 }),
    );
    expect(changes.newRuns).toEqual([]);
    expect(changes.keys).toEqual([{ key: 'k', run_key: 't', body_hash: 'body' }]);
    expect(
      changes.happenings.map(({ run_key, workflow_id, first_seq }) => [run_key, workflow_id, first_seq]),
    ).toEqual([['t', null, 1]]);
  });

  it('answers again under the same key, with how the task is by then', () => {
    const memory = new Memory();
    const run = { ...lone('t'), idempotency_key: 'k' };
    memory.write(submitted(run));
    memory.write({ kind: 'cancel_task', task_id: 't', reason: null });
    const repeated = { ...lone('t2'), idempotency_key: 'k' };
    const again = { workflow_id: null, tasks: [['t', 't']], status: 'cancelled', created: false };
    expect(memory.write(submitted(repeated))).toEqual({ runs: [again] });
    expect(memory.tasks.has('t2')).toBe(false);
  });

  it('answers for a key whose task is no longer there', () => {
    const memory = new Memory();
    memory.keys.set('k', { key: 'k', run_key: 't', body_hash: 'body' });
    const again = { workflow_id: null, tasks: [['t', 't']], status: 'completed', created: false };
    expect(memory.write(submitted({ ...lone('t2'), idempotency_key: 'k' }))).toEqual({ runs: [again] });
  });

  it('refuses another body under the same key', () => {
    const memory = new Memory();
    memory.write(submitted({ ...lone('t'), idempotency_key: 'k' }));
    const [verdict] = memory.commit(
      submitted({ ...lone('t2'), idempotency_key: 'k', body_hash: 'b' }),
    ).verdicts;
    expect(verdict).toMatchObject({
      ok: false,
      error: {
        message: 'idempotency_key "k" was used before with another body',
        data: { error_code: 'GLZ1009', field: 'idempotency_key' },
      },
    });
  });
});

describe('submitting many at once', () => {
  it('makes one run of what is the same', () => {
    const memory = new Memory();
    const keyed = (task_id: string, idempotency_key: string) => ({ ...lone(task_id), idempotency_key });
    const { runs } = memory.write(
      submitted(keyed('t1', 'k'), keyed('t2', 'k'), keyed('t3', 'l'), chain, chain),
    );
    expect(runs.map(({ tasks, created }) => [tasks.map(([id]) => id).join(), created])).toEqual([
      ['t1', true],
      ['t1', false],
      ['t3', true],
      ['a,b', true],
      ['a,b', false],
    ]);
    expect([...memory.tasks.keys()]).toEqual(['t1', 't3', 'w.a', 'w.b']);
    expect(memory.log.get('w')?.filter(({ event }) => event === 'workflow:started')).toHaveLength(1);
  });

  it('refuses all of it when a key or id comes with two bodies', () => {
    const memory = new Memory();
    const { verdicts, changes } = memory.commit(
      submitted(
        { ...lone('t1'), idempotency_key: 'k' },
        { ...lone('t2'), idempotency_key: 'k', body_hash: 'b' },
      ),
      submitted(chain, { ...chain, body_hash: 'b' }),
    );
    expect(verdicts.map((verdict) => (verdict.ok ? 'ok' : verdict.error.message))).toEqual([
      'idempotency_key "k" was used before with another body',
      'workflow_id "w" was used before with another body',
    ]);
    expect([changes.newTasks, changes.keys]).toEqual([[], []]);
  });

  it('keeps keys and ids of the same text apart', () => {
    const named = { ...lone('t'), idempotency_key: 'w', body_hash: 'b' };
    expect(new Memory().write(submitted(named, chain)).runs.map((run) => run.created)).toEqual([true, true]);
  });

  it('takes an empty submission for what it is', () => {
    const nothing = { workflow: null, tasks: [], body_hash: 'body', idempotency_key: 'k' };
    const memory = new Memory();
    expect(memory.write(submitted(nothing))).toEqual({
      runs: [{ workflow_id: null, tasks: [], status: 'queued', created: true }],
    });
    expect(memory.keys.get('k')?.run_key).toBe('');
  });

  it('carries every field of a task', () => {
    const memory = new Memory();
    const fields = {
      lane: 'fast',
      priority: 'urgent',
      on_failure: 'continue',
      params: '[1]',
      inputs: { a: 'w.a' },
      uses_input: true,
    } as const;
    memory.write(submitted({ ...lone('t'), tasks: [newTask('t', { ...fields, id: 'short' })] }));
    expect(memory.tasks.get('t')).toMatchObject({
      id: 'short',
      lane: 'fast',
      priority: 'urgent',
      on_failure: 'continue',
      rank: memory.now,
    });
    expect(memory.bodies.get('t')).toMatchObject({
      params: '[1]',
      params_hash: '#[1]',
      inputs: { a: 'w.a' },
      uses_input: true,
    });
  });
});
