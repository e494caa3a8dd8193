import { describe, expect, it } from 'vitest';
import { graph, LANE, lone } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { refusal, scenes, the } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

export function submitSuite(harness: StoreHarness): void {
  describe('submit', () => {
    const scene = scenes(harness);

    it('takes a task alone, and reads it back', async () => {
      const { store } = scene();
      const answer = await scene().submit(
        lone('t1', { params: '{"a":1}', priority: 'high', total_timeout: 2.5 }),
      );
      expect(answer.runs).toEqual([
        { workflow_id: null, tasks: [['t1', 't1']], status: 'queued', created: true },
      ]);
      const { task, body } = the(await store.reads.task('t1'));
      expect(task).toMatchObject({
        task_id: 't1',
        workflow_id: null,
        status: 'queued',
        priority: 'high',
        fence: 0,
      });
      expect(task).toMatchObject({ owner: null, attempts: [], total_timeout: 2.5, seq: 1, suspect: false });
      expect(task.expires_at).toBe(task.created_at + 2500);
      expect(body).toMatchObject({
        task_id: 't1',
        params: '{"a":1}',
        dependents: [],
        inputs: {},
        uses_input: false,
      });
      expect(body.spec).toEqual(lone('t1').tasks[0]?.spec);
    });

    it('keeps the agent a task is for, and tells it with its claim and its first event', async () => {
      const names = ['A', 'A b', '__proto__', 'Überset\u{1F600}'];
      const agents = [...names, undefined];
      const runs = agents.map((agent, i) => lone(`t${i}`, agent === undefined ? {} : { agent }));
      await scene().join('e1');
      const claim = { owner: 'e1', limit: 9, lanes: [LANE] };
      const { claimed } = await scene().commit([{ kind: 'submit', runs }], claim);
      expect(claimed.map(({ body }) => body.spec.agent).sort()).toEqual([...agents].sort());
      await scene().submit(graph('w1', { a: { agent: 'A' }, b: { after: ['a'] } }));
      expect((await scene().claim('e1'))[0]?.body.spec.agent).toBe('A');
      await scene().reopen();
      const { reads } = scene().store;
      const told = await allEvents(scene().store.reads);
      for (const [i, agent] of agents.entries()) {
        const { spec } = the(await reads.task(`t${i}`)).body;
        expect(spec).toEqual(runs[i]?.tasks[0]?.spec);
        const first = the(told.find(({ task_id }) => task_id === `t${i}`));
        const { task } = first.data as { task?: { agent?: string } };
        expect(task?.agent).toBe(agent);
        expect(the(task)).toHaveProperty('name');
      }
      expect(the(await reads.task('w1/b')).body.spec).not.toHaveProperty('agent');
    });

    it('takes a workflow: what waits for nothing is queued, the rest waits', async () => {
      const { store } = scene();
      const run = graph(
        'w1',
        { a: {}, b: { after: ['a'] } },
        { name: 'two', version: '7', input: '{"x":[]}' },
      );
      const answer = await scene().submit(run);
      expect(answer.runs).toEqual([
        {
          workflow_id: 'w1',
          tasks: [
            ['a', 'w1/a'],
            ['b', 'w1/b'],
          ],
          status: 'running',
          created: true,
        },
      ]);
      const stored = the(await store.reads.run('w1'));
      expect(stored.input).toBe('{"x":[]}');
      expect(stored.run).toMatchObject({
        name: 'two',
        version: '7',
        status: 'running',
        total: 2,
        open: 2,
        failed: 0,
      });
      expect(await scene().status('w1/a')).toBe('queued');
      expect(await scene().task('w1/b')).toMatchObject({ status: 'waiting', pending: 1, rank: 0 });
      expect((await allEvents(store.reads)).map(({ event, task_id }) => [event, task_id])).toEqual([
        ['workflow:started', undefined],
        ['task:queued', 'w1/a'],
        ['task:waiting', 'w1/b'],
      ]);
    });

    it('takes many runs in one write, in their order', async () => {
      const answer = await scene().submit(lone('t1'), graph('w1', { a: {} }), lone('t2'));
      expect(answer.runs.map((run) => run.tasks.map(([, task_id]) => task_id))).toEqual([
        ['t1'],
        ['w1/a'],
        ['t2'],
      ]);
    });

    it('knows nothing of what was never submitted', async () => {
      const { reads } = scene().store;
      expect(await reads.task('no')).toBe(null);
      expect(await reads.run('no')).toBe(null);
      expect(await reads.result('no')).toBe(null);
      expect(await reads.runResults('no')).toEqual({});
      expect(await reads.payloads('no')).toBe(null);
      expect(await reads.cursor()).toBe(0);
      expect(await reads.stats()).toMatchObject({ tasks: {}, runs: {}, queued: [] });
    });

    it('has everything after it was closed and opened again', async () => {
      await scene().submit(graph('w1', { a: {}, b: { after: ['a'] } }), lone('t1'));
      const before = await everything();
      await scene().reopen();
      expect(await everything()).toEqual(before);
    });

    async function everything() {
      const { reads } = scene().store;
      return {
        run: await reads.run('w1'),
        tasks: [await reads.task('w1/a'), await reads.task('w1/b'), await reads.task('t1')],
        events: await allEvents(reads),
        stats: await reads.stats(),
      };
    }
  });

  describe('idempotency', () => {
    const scene = scenes(harness);

    it('answers the same key and body again, with the status of now', async () => {
      const run = lone('t1', {}, { idempotency_key: 'k1' });
      await scene().submit(run);
      await scene().write({ kind: 'cancel_task', task_id: 't1', reason: null });
      const again = await scene().submit(lone('t9', {}, { idempotency_key: 'k1', body_hash: run.body_hash }));
      expect(again.runs).toEqual([
        { workflow_id: null, tasks: [['t1', 't1']], status: 'cancelled', created: false },
      ]);
      expect(await scene().store.reads.task('t9')).toBe(null);
    });

    it('refuses the same key with another body, and keeps nothing of it', async () => {
      await scene().submit(lone('t1', {}, { idempotency_key: 'k1' }));
      const error = await scene().refused({
        kind: 'submit',
        runs: [lone('t2', {}, { idempotency_key: 'k1', body_hash: 'another' })],
      });
      expect(error.data).toMatchObject({ error_code: 'GLZ1009', field: 'idempotency_key' });
      expect(await scene().store.reads.task('t2')).toBe(null);
    });

    it('answers with what the key was used for, be it a task or a run', async () => {
      const same = { body_hash: 'same' };
      const [task, run] = [{ idempotency_key: 'a task' }, { idempotency_key: 'a run' }];
      await scene().submit(lone('t1', {}, { ...same, ...task }));
      await scene().submit(graph('w1', { a: {} }, { ...same, ...run }));
      const asRun = await scene().submit(graph('w2', { a: {} }, { ...same, ...task }));
      expect(asRun.runs).toMatchObject([{ workflow_id: null, tasks: [['t1', 't1']], created: false }]);
      const asTask = await scene().submit(lone('t2', {}, { ...same, ...run }));
      expect(asTask.runs).toMatchObject([{ workflow_id: 'w1', tasks: [['a', 'w1/a']], created: false }]);
    });

    it('refuses a workflow by the id of a task', async () => {
      const run = graph('t1', { a: {} });
      await scene().submit(lone('t1'));
      const { data } = await scene().refused({ kind: 'submit', runs: [lone('t2'), run] });
      expect(data).toMatchObject({ error_code: 'GLZ1009', field: 'workflow_id' });
      expect(await scene().store.reads.run('t1')).toBe(null);
      expect(await scene().store.reads.task('t2')).toBe(null);
    });

    it('answers a workflow of the same id and body again, and refuses another body', async () => {
      const run = graph('w1', { a: {}, b: { after: ['a'] } });
      await scene().submit(run);
      const again = await scene().submit(run);
      expect(again.runs).toEqual([
        {
          workflow_id: 'w1',
          tasks: [
            ['a', 'w1/a'],
            ['b', 'w1/b'],
          ],
          status: 'running',
          created: false,
        },
      ]);
      const error = await scene().refused({ kind: 'submit', runs: [{ ...run, body_hash: 'another' }] });
      expect(error.data).toMatchObject({ error_code: 'GLZ1009', field: 'workflow_id' });
    });

    it('remembers keys over a restart', async () => {
      const run = graph('w1', { a: {} }, { idempotency_key: 'k1' });
      await scene().submit(run);
      await scene().reopen();
      const again = await scene().submit({
        ...graph('w2', { a: {} }),
        idempotency_key: 'k1',
        body_hash: run.body_hash,
      });
      expect(again.runs).toMatchObject([{ workflow_id: 'w1', created: false }]);
    });

    it('sees a key that an earlier write of the same commit used', async () => {
      const first = lone('t1', {}, { idempotency_key: 'k1', body_hash: 'same' });
      const second = lone('t2', {}, { idempotency_key: 'k1', body_hash: 'same' });
      const third = lone('t3', {}, { idempotency_key: 'k1', body_hash: 'other' });
      const { verdicts } = await scene().commit(
        [first, second, third].map((run) => ({ kind: 'submit' as const, runs: [run] })),
      );
      expect(verdicts).toMatchObject([
        { ok: true, answer: { runs: [{ created: true }] } },
        { ok: true, answer: { runs: [{ created: false, tasks: [['t1', 't1']] }] } },
        { ok: false, error: { data: { error_code: 'GLZ1009' } } },
      ]);
    });

    it('takes all runs of a write or none', async () => {
      await scene().submit(lone('t1', {}, { idempotency_key: 'k1' }));
      const { verdicts } = await scene().commit([
        { kind: 'submit', runs: [lone('t2'), lone('t3', {}, { idempotency_key: 'k1' })] },
        { kind: 'submit', runs: [lone('t4')] },
      ]);
      expect(refusal(verdicts[0]).data.error_code).toBe('GLZ1009');
      expect(verdicts[1]).toMatchObject({ ok: true });
      expect(await scene().store.reads.task('t2')).toBe(null);
      expect(await scene().status('t4')).toBe('queued');
    });
  });
}
