import { describe, expect, it } from 'vitest';
import { lone, submitted, workflow } from '../testing/builders.suite.ts';
import { Memory } from '../testing/memory.suite.ts';

const chain = workflow({ a: [], b: ['a'] });

it('a run that nobody can send again is taken without a look at what is there', () => {
  const memory = new Memory();
  expect(memory.write(submitted({ ...chain, body_hash: '' })).runs).toMatchObject([{ created: true }]);
  expect(memory.reads).toBe(0);
});

describe('a run named like a task', () => {
  it('is refused: what is kept of the two could not be told apart', () => {
    const memory = new Memory();
    memory.write(submitted(lone('w')));
    const { verdicts, changes } = memory.commit(submitted(lone('other'), chain));
    expect(verdicts).toMatchObject([
      { ok: false, error: { data: { error_code: 'GLZ1009', field: 'workflow_id' } } },
    ]);
    expect([changes.newTasks, changes.newRuns]).toEqual([[], []]);
    expect(memory.write(submitted(workflow({ a: [] }, {}, 'free'))).runs).toMatchObject([{ created: true }]);
  });

  it('is none where the task belongs to a run', () => {
    const memory = new Memory();
    memory.write(submitted(workflow({ a: [] }, {}, 'first')));
    expect(memory.tasks.has('first.a')).toBe(true);
    const named = workflow({ b: [] }, {}, 'first.a');
    expect(memory.write(submitted(named)).runs).toMatchObject([{ created: true }]);
  });
});

describe('a key that first comes with a repetition', () => {
  it('is used up by it: another body under it is refused', () => {
    const memory = new Memory();
    memory.commit(submitted(chain));
    const { verdicts } = memory.commit(
      submitted({ ...chain, idempotency_key: 'k' }),
      submitted({ ...lone('t'), idempotency_key: 'k', body_hash: 'other' }),
    );
    expect(verdicts[0]).toMatchObject({ ok: true, answer: { runs: [{ workflow_id: 'w', created: false }] } });
    expect(verdicts[1]).toMatchObject({ ok: false, error: { data: { error_code: 'GLZ1009' } } });
  });

  it('is not put down again when it comes once more', () => {
    const memory = new Memory();
    memory.commit(submitted({ ...chain, idempotency_key: 'k' }));
    const { changes } = memory.commit(submitted({ ...chain, idempotency_key: 'k' }));
    expect(changes.keys).toEqual([]);
  });
});

describe('a key that came with the same body for work of the other kind', () => {
  const task = { ...lone('t'), idempotency_key: 'k' };
  const run = { ...chain, idempotency_key: 'k' };

  it('is answered with the task it was', () => {
    const memory = new Memory();
    memory.write(submitted(task));
    const again = memory.write(submitted(run)).runs;
    expect(again).toEqual([{ workflow_id: null, tasks: [['t', 't']], status: 'queued', created: false }]);
  });

  it('is answered with the run it was', () => {
    const memory = new Memory();
    memory.write(submitted(run));
    const [again] = memory.write(submitted(task)).runs;
    expect(again).toMatchObject({ workflow_id: 'w', status: 'running', created: false });
    expect(again?.tasks).toHaveLength(2);
  });
});
