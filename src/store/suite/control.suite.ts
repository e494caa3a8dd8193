import { describe, expect, it } from 'vitest';
import { final, graph, lone, passing } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { done, failed, scenes, starting, the } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

export function controlSuite(harness: StoreHarness): void {
  describe('cancelling', () => {
    const scene = scenes(harness);

    it('ends a task that waits in the queue', async () => {
      await scene().submit(lone('t1'));
      const answer = await scene().commit([{ kind: 'cancel_task', task_id: 't1', reason: 'not needed' }]);
      expect(answer).toMatchObject({
        verdicts: [{ answer: { status: 'cancelled', cancelled: true } }],
        revoked: [],
      });
      const { status, error } = await scene().task('t1');
      expect([status, error?.message, error?.data.error_code]).toEqual([
        'cancelled',
        'not needed',
        'GLZ2009',
      ]);
    });

    it('takes a running task from its engine, whose outcome comes too late', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      const task = await scene().claimOne('e1');
      await scene().write(starting(task));
      const answer = await scene().commit([{ kind: 'cancel_task', task_id: 't1', reason: null }]);
      expect(answer.revoked).toEqual([{ task_id: 't1', owner: 'e1' }]);
      expect(await scene().settle(task, done())).toMatchObject({ recorded: false, status: 'cancelled' });
      expect((await scene().task('t1')).attempts[0]?.ended_at).toBe((await scene().task('t1')).settled_at);
    });

    it('changes nothing that has settled, and knows what it does not know', async () => {
      await scene().submit(lone('t1'), graph('w1', { a: {} }));
      for (const cancelled of [true, false]) {
        const answer = await scene().write<'cancel_task'>({
          kind: 'cancel_task',
          task_id: 't1',
          reason: null,
        });
        expect(answer).toEqual({ status: 'cancelled', cancelled });
      }
      for (const cancelled of [1, 0]) {
        const answer = await scene().write<'cancel_run'>({
          kind: 'cancel_run',
          workflow_id: 'w1',
          reason: null,
        });
        expect(answer).toEqual({ status: 'cancelled', cancelled });
      }
      const noTask = await scene().refused({ kind: 'cancel_task', task_id: 'no', reason: null });
      const noRun = await scene().refused({ kind: 'cancel_run', workflow_id: 'no', reason: null });
      expect([noTask.data.error_code, noRun.data.error_code]).toEqual(['GLZ1010', 'GLZ1010']);
    });

    it('a task of a workflow skips what comes after it', async () => {
      await scene().submit(graph('w1', { a: {}, b: { after: ['a'] } }));
      await scene().write({ kind: 'cancel_task', task_id: 'w1/a', reason: null });
      expect(await scene().status('w1/b')).toBe('skipped');
      expect(await scene().run('w1')).toMatchObject({ status: 'failed', failed: 1 });
    });

    it('a run ends all its open tasks, in the order they were accepted', async () => {
      await scene().join('e1');
      const tasks = { z: {}, a: { after: ['z'] }, m: {}, b: { after: ['a', 'm'] }, k: {} };
      await scene().submit(graph('w1', tasks));
      const [z, m] = (await scene().claim('e1', 2)).map(({ task }) => task);
      await scene().settle(the(m), done());
      const answer = await scene().commit([{ kind: 'cancel_run', workflow_id: 'w1', reason: 'stop' }]);
      expect(answer.revoked).toEqual([{ task_id: 'w1/z', owner: 'e1' }]);
      expect(answer.settledRuns).toEqual([{ workflow_id: 'w1', status: 'cancelled' }]);
      const cancelled = await allEvents(scene().store.reads, {
        events: ['task:cancelled', 'workflow:cancelled'],
      });
      expect(cancelled.map(({ task_id }) => task_id)).toEqual(['w1/z', 'w1/a', 'w1/b', 'w1/k', undefined]);
      expect(await scene().run('w1')).toMatchObject({ status: 'cancelled', open: 0 });
      expect(await scene().settle(the(z), done())).toMatchObject({ recorded: false });
      expect(await scene().status('w1/m')).toBe('completed');
    });
  });

  describe('pausing', () => {
    const scene = scenes(harness);
    const pause = (workflow_id: string) => scene().write<'pause_run'>({ kind: 'pause_run', workflow_id });
    const resume = (workflow_id: string) => scene().write<'resume_run'>({ kind: 'resume_run', workflow_id });

    it('holds back what is queued or becomes ready, lets what runs end, until it is resumed', async () => {
      await scene().join('e1');
      await scene().submit(graph('w1', { a: {}, b: { after: ['a'] }, c: {} }), lone('t1'));
      const a = await scene().claimOne('e1');
      await scene().write(starting(a));
      expect(await pause('w1')).toEqual({ status: 'paused' });
      expect(await pause('w1')).toEqual({ status: 'paused' });
      expect(await scene().settle(a, done())).toMatchObject({ recorded: true });
      expect((await scene().claim('e1')).map(({ task }) => task.task_id)).toEqual(['t1']);
      expect(await scene().task('w1/b')).toMatchObject({ status: 'queued', parked: 'paused' });
      expect(await resume('w1')).toEqual({ status: 'running' });
      expect((await scene().claim('e1')).map(({ task }) => task.id).sort()).toEqual(['b', 'c']);
    });

    it('takes back what was claimed and has not started', async () => {
      await scene().join('e1');
      await scene().submit(graph('w1', { a: {}, b: {} }), lone('t1'));
      const [a, b] = (await scene().claim('e1')).map(({ task }) => task);
      await scene().write(starting(the(a)));
      const { revoked } = await scene().commit([{ kind: 'pause_run', workflow_id: 'w1' }]);
      expect(revoked).toEqual([{ task_id: 'w1/b', owner: 'e1' }]);
      expect(await scene().task('w1/b')).toMatchObject({ status: 'queued', owner: null, parked: 'paused' });
      expect(await scene().write<'start'>(starting(the(b)))).toEqual({ started: false });
      expect(await scene().settle(the(b), done())).toMatchObject({ recorded: false });
      expect(await scene().settle(the(a), done())).toMatchObject({ recorded: true });
      expect(await scene().claim('e1')).toEqual([]);
      await resume('w1');
      const again = await scene().claimOne('e1');
      expect(again).toMatchObject({ id: 'b', fence: 2, attempt_count: 0 });
      await scene().settle(again, done());
      expect(await scene().run('w1')).toMatchObject({ status: 'completed' });
    });

    it('holds back what becomes due, over a restart too', async () => {
      await scene().join('e1');
      await scene().submit(graph('w1', { a: {}, b: {} }));
      await scene().settle(await scene().claimOne('e1'), failed(passing));
      await pause('w1');
      await scene().open.advance(1000);
      await scene().write({ kind: 'wake_due', limit: 5 });
      expect(await scene().claim('e1')).toEqual([]);
      await scene().reopen();
      await scene().join('e2');
      await resume('w1');
      expect((await scene().claim('e2')).length).toBe(2);
    });

    it('is refused for runs that are not there or have settled', async () => {
      await scene().submit(graph('w1', { a: {} }));
      await scene().write({ kind: 'cancel_run', workflow_id: 'w1', reason: null });
      for (const kind of ['pause_run', 'resume_run'] as const) {
        expect((await scene().refused({ kind, workflow_id: 'no' })).data.error_code).toBe('GLZ1010');
        expect((await scene().refused({ kind, workflow_id: 'w1' })).data.error_code).toBe('GLZ1011');
      }
    });
  });

  describe('a retry asked for by a person', () => {
    const scene = scenes(harness);
    const retry = (task_id: string) => scene().write<'retry_task'>({ kind: 'retry_task', task_id });

    it('runs a failed task again, with all its attempts before it', async () => {
      await scene().join('e1');
      await scene().submit(lone('t1'));
      await scene().settle(await scene().claimOne('e1'), failed(final));
      expect(await retry('t1')).toEqual({ status: 'queued' });
      expect(await scene().task('t1')).toMatchObject({
        generation: 1,
        attempt_base: 1,
        error: null,
        settled_at: null,
      });
      await scene().settle(await scene().claimOne('e1'), done());
      expect((await scene().task('t1')).attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
    });

    it('brings its run back to life, and what was skipped because of it', async () => {
      await scene().join('e1');
      await scene().submit(graph('w1', { a: {}, b: { after: ['a'] }, c: { after: ['b'] } }));
      await scene().settle(await scene().claimOne('e1'), failed(final));
      await scene().reopen();
      await scene().join('e2');
      await retry('w1/a');
      expect(await scene().run('w1')).toMatchObject({
        status: 'running',
        open: 3,
        failed: 0,
        settled_at: null,
      });
      expect(await scene().status('w1/c')).toBe('waiting');
      expect(await scene().drain('e2')).toEqual(['a', 'b', 'c']);
      expect(await scene().run('w1')).toMatchObject({ status: 'completed' });
    });

    it('is refused for what has not failed, and in a run that was cancelled', async () => {
      await scene().submit(lone('t1'), graph('w1', { a: {} }));
      await scene().write({ kind: 'cancel_run', workflow_id: 'w1', reason: null });
      const codes: string[] = [];
      for (const task_id of ['t1', 'w1/a', 'no']) {
        codes.push((await scene().refused({ kind: 'retry_task', task_id })).data.error_code);
      }
      expect(codes).toEqual(['GLZ1011', 'GLZ1011', 'GLZ1010']);
    });
  });
}
