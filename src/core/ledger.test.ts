import { describe, expect, it } from 'vitest';
import { Ledger } from './ledger.ts';
import { lone, newTask, runRow, submitted, taskRow, workflow } from './testing/builders.suite.ts';
import { hash, Memory } from './testing/memory.suite.ts';

const context = { now: 50, hash, exclusive: true };

function stored(): Memory {
  const memory = new Memory();
  memory.write(submitted(workflow({ a: [], b: ['a'] }), lone('t')));
  return memory;
}

describe('a ledger', () => {
  it('knows the time, the hash and whether the store is exclusive', () => {
    const ledger = new Ledger(new Memory(), context);
    expect([ledger.now, ledger.hash('x'), ledger.exclusive]).toEqual([50, '#x', true]);
  });

  it('reads what is stored until something is put over it', () => {
    const memory = stored();
    const ledger = new Ledger(memory, context);
    const task = ledger.task('t') ?? taskRow();
    expect(task).toBe(memory.tasks.get('t'));
    expect(ledger.body('t')).toBe(memory.bodies.get('t'));
    expect(ledger.run('w')).toBe(memory.runs.get('w'));
    expect([ledger.task('x'), ledger.body('x'), ledger.run('x'), ledger.key('x')]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    ledger.putTask({ ...task, rank: 1 });
    ledger.putRun(runRow({ workflow_id: 'w', open: 9 }));
    ledger.addKey({ key: 'x', run_key: 't', body_hash: 'b' });
    expect([ledger.task('t')?.rank, ledger.run('w')?.open, ledger.key('x')?.run_key]).toEqual([1, 9, 't']);
    expect(memory.tasks.get('t')?.rank).not.toBe(1);
  });

  it('finds what was added in this commit among the tasks of its run', () => {
    const memory = stored();
    const ledger = new Ledger(memory, context);
    const added = taskRow({ task_id: 'w.c', id: 'c', workflow_id: 'w' });
    const { task_id, spec, params, dependents, inputs, uses_input } = newTask('w.c', { params: '7' });
    const body = { task_id, spec, params, params_hash: '#7', dependents, inputs, uses_input };
    ledger.addTask(added, body);
    ledger.addTask(taskRow({ task_id: 'v.c', id: 'c', workflow_id: 'v' }), { ...body, task_id: 'v.c' });
    ledger.putTask({ ...(memory.tasks.get('w.a') ?? taskRow()), status: 'completed' });
    expect(ledger.openTasks('w').map((row) => row.task_id)).toEqual(['w.b', 'w.c']);
    expect(ledger.taskIds('w')).toEqual({ a: 'w.a', b: 'w.b', c: 'w.c' });
    expect(ledger.body('w.c')).toBe(body);
    const changes = ledger.changes();
    expect(changes.newTasks.map(({ row }) => row.task_id)).toEqual(['w.c', 'v.c']);
    expect(changes.tasks.map((row) => row.task_id)).toEqual(['w.a']);
  });

  it('tells new runs from changed ones', () => {
    const ledger = new Ledger(stored(), context);
    ledger.addRun(runRow({ workflow_id: 'new' }), '{"in":1}');
    ledger.putRun(runRow({ workflow_id: 'w' }));
    const { newRuns, runs } = ledger.changes();
    expect(newRuns).toEqual([{ row: runRow({ workflow_id: 'new' }), input: '{"in":1}' }]);
    expect(runs.map((row) => row.workflow_id)).toEqual(['w']);
  });

  it('lists as settled what is so in the end, recounts left out', () => {
    const ledger = new Ledger(stored(), context);
    ledger.putTask(taskRow({ task_id: 'a', status: 'failed' }));
    ledger.putTask(taskRow({ task_id: 'a', status: 'queued' }));
    ledger.putTask(taskRow({ task_id: 'b', status: 'queued' }));
    ledger.putTask(taskRow({ task_id: 'b', status: 'cancelled', workflow_id: 'w' }));
    ledger.recount(taskRow({ task_id: 'c', status: 'completed' }));
    ledger.putRun(runRow({ workflow_id: 'x', settled_at: 5, status: 'failed' }));
    ledger.putRun(runRow({ workflow_id: 'x', settled_at: null }));
    ledger.putRun(runRow({ workflow_id: 'y', settled_at: 5, status: 'completed' }));
    const { settled, settledRuns, tasks } = ledger.changes();
    expect(settled).toEqual([{ task_id: 'b', workflow_id: 'w', status: 'cancelled' }]);
    expect(settledRuns).toEqual([{ workflow_id: 'y', status: 'completed' }]);
    expect(tasks.map((row) => row.task_id)).toEqual(['a', 'b', 'c']);
  });

  it('revokes only what someone holds', () => {
    const ledger = new Ledger(stored(), context);
    ledger.revoke(taskRow({ task_id: 'a', owner: 'e' }));
    ledger.revoke(taskRow({ task_id: 'b' }));
    expect(ledger.changes().revoked).toEqual([{ task_id: 'a', owner: 'e' }]);
  });

  it('numbers the events of each run from where they stood', () => {
    const memory = stored();
    const ledger = new Ledger(memory, context);
    const alone = memory.tasks.get('t') ?? taskRow();
    const a = memory.tasks.get('w.a') ?? taskRow();
    ledger.tell(alone, 'task:validated', {});
    ledger.tellRun(ledger.runOf('w'), 'workflow:paused', {});
    ledger.tell(a, 'task:validated', {});
    ledger.tell(alone, 'task:routed', { provider: null });
    ledger.tellAll({ event: 'provider:connected', data: { provider: 'p', protocol: 'x/v1' } });
    const changes = ledger.changes();
    expect(changes.happenings).toEqual([
      {
        run_key: 't',
        workflow_id: null,
        first_seq: 2,
        events: [
          { event: 'task:validated', task_id: 't', data: {} },
          { event: 'task:routed', task_id: 't', data: { provider: null } },
        ],
      },
      {
        run_key: 'w',
        workflow_id: 'w',
        first_seq: 4,
        events: [
          { event: 'workflow:paused', data: {} },
          { event: 'task:validated', task_id: 'w.a', data: {} },
        ],
      },
      {
        run_key: null,
        workflow_id: null,
        first_seq: 0,
        events: [{ event: 'provider:connected', data: { provider: 'p', protocol: 'x/v1' } }],
      },
    ]);
    expect(changes.tasks).toEqual([{ ...alone, seq: 3 }]);
    expect(changes.runs).toEqual([{ ...memory.runs.get('w'), seq: 5 }]);
  });

  it('counts nothing for a run whose rows are gone', () => {
    const ledger = new Ledger(new Memory(), context);
    ledger.tell(taskRow({ task_id: 't', seq: 7 }), 'task:validated', {});
    ledger.tellRun(runRow({ workflow_id: 'w', seq: 8 }), 'workflow:paused', {});
    const { tasks, runs, happenings } = ledger.changes();
    expect([tasks, runs, happenings.map(({ first_seq }) => first_seq)]).toEqual([[], [], [8, 9]]);
  });

  it('says that the store is damaged when the run of a task is missing', () => {
    const ledger = new Ledger(new Memory(), context);
    expect(() => ledger.runOf('w')).toThrow('the run w of a stored task is not stored');
  });

  it('keeps documents whose names could be mistaken for each other apart', () => {
    const ledger = new Ledger(new Memory(), context);
    ledger.putDocument({ collection: 'a', key: 'b","c', text: '1', version: 1 });
    expect(ledger.document({ collection: 'a","b', key: 'c' })).toBeNull();
    expect(ledger.document({ collection: 'a', key: 'b","c' })?.text).toBe('1');
    ledger.removeDocument({ collection: 'a', key: 'b","c' });
    expect(ledger.document({ collection: 'a', key: 'b","c' })).toBeNull();
    expect(ledger.changes()).toMatchObject({
      documents: [],
      goneDocuments: [{ collection: 'a', key: 'b","c' }],
    });
  });
});
